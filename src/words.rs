//! One list of names, two languages: indices of words as Rust constants and as WGSL constants.
//!
//! Owns the macro that keeps kernels and shaders from ever disagreeing about where a word is.

/// Declares a module of word indices counted from zero, and the text of the same constants in WGSL.
macro_rules! words {
    ($(#[$doc:meta])* $module:ident, $prefix:literal: $($(#[$field:meta])* $name:ident,)*) => {
        $(#[$doc])*
        pub mod $module {
            #[allow(non_camel_case_types, clippy::upper_case_acronyms, dead_code)]
            enum Index { $($name,)* COUNT }
            $($(#[$field])* pub const $name: usize = Index::$name as usize;)*
            /// How many words there are.
            pub const COUNT: usize = Index::COUNT as usize;
            /// The names, in order.
            pub const NAMES: &[&str] = &[$(stringify!($name),)*];

            /// The same constants for WGSL.
            pub fn wgsl() -> String {
                let mut text = String::new();
                for (index, name) in NAMES.iter().enumerate() {
                    text.push_str(&format!("const {}{name}: u32 = {index}u;\n", $prefix));
                }
                text.push_str(&format!("const {}COUNT: u32 = {COUNT}u;\n", $prefix));
                text
            }
        }
    };
}

pub(crate) use words;
