//! Words that stay whole on their way: through a shell, and through the directives of a Slurm script.

use crate::cli::Failure;
use std::path::Path;

/// A word of a shell's command line.
pub fn shell(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./=:,+@".contains(&byte);
    if !word.is_empty() && word.bytes().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// A value in a line that begins with #SBATCH, which no shell reads: only quotes and backslashes mean something there.
pub fn directive(value: &str) -> String {
    let escaped = value.replace('\\', r"\\").replace('"', "\\\"");
    format!("\"{escaped}\"")
}

/// A path in a name of a log file, where Slurm replaces %A and the like.
pub fn pattern(path: &str) -> String {
    path.replace('%', "%%")
}

/// A path as text that a script can hold and that no program takes for an option.
///
/// # Errors
/// What a script cannot hold, or Slurm does not take literally.
pub fn path(path: &Path) -> Result<String, Failure> {
    let refused = |why: &str| Failure::Usage(format!("{}: {why}; rename it", path.display()));
    let text = path
        .to_str()
        .ok_or_else(|| refused("a name that is not UTF-8 cannot stand in a Slurm script"))?;
    if text.chars().any(char::is_control) {
        return Err(refused(
            "a name with line breaks or control characters cannot stand in a Slurm script",
        ));
    }
    if text.contains('\\') {
        return Err(refused(
            "Slurm gives a backslash in the name of a log file another meaning",
        ));
    }
    Ok(if text.starts_with('-') {
        format!("./{text}")
    } else {
        text.to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::{directive, path, pattern, shell};
    use std::path::Path;

    #[test]
    fn words_are_quoted_only_where_a_shell_would_change_them() {
        for (word, quoted) in [
            ("a.toml", "a.toml"),
            ("/x/y-1_2", "/x/y-1_2"),
            ("replicas=128", "replicas=128"),
            ("", "''"),
            ("my file", "'my file'"),
            ("$HOME", "'$HOME'"),
            ("it's", r"'it'\''s'"),
            ("clients={list=[10,20]}", "'clients={list=[10,20]}'"),
            ("a\"b`c`*~", "'a\"b`c`*~'"),
            ("ü", "'ü'"),
        ] {
            assert_eq!(shell(word), quoted);
        }
    }

    #[test]
    fn directives_keep_quotes_and_patterns_keep_percents() {
        assert_eq!(directive("a b\"c\\d$e"), r#""a b\"c\\d$e""#);
        assert_eq!(pattern("100%A"), "100%%A");
    }

    #[test]
    fn paths_that_a_script_cannot_hold_are_refused() {
        let text = |name: &str| path(Path::new(name)).map_err(|error| format!("{error:?}"));
        assert_eq!(text("-x.toml"), Ok("./-x.toml".to_owned()));
        assert_eq!(text("a 'b'"), Ok("a 'b'".to_owned()));
        assert!(text("a\nb").is_err_and(|said| said.contains("line breaks")));
        assert!(text("a\\b").is_err_and(|said| said.contains("backslash")));
    }
}
