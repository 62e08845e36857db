//! What must hold of any text as an experiment file, and of any bytes as its table: shared by the tests and the fuzz targets.

use queuefarm::experiment::Experiment;

/// Experiments that read columns `a` and `b` of `table.csv`.
const READERS: [&str; 4] = [
    "model = \"redundancy\"\nreplicas = 64\nwarmup = 1\nduration = 10\n[parameters]\nservers = 3\n\
     service = \"samples\"\nservice_samples = { file = \"table.csv\", column = \"a\" }\n",
    "model = \"farm\"\nreplicas = 64\nwarmup = 1\nduration = 10\n[parameters]\n\
     rates = { file = \"table.csv\", column = \"a\" }\nspeeds = { file = \"table.csv\", column = \"b\" }\n",
    "model = \"selfish-pure\"\nreplicas = 64\nwarmup = 0\nduration = 10\n[parameters]\nservers = 2\n\
     rates = { file = \"table.csv\", column = \"b\" }\ncosts = [\"table\"]\n\
     table_load = { file = \"table.csv\", column = \"a\" }\ntable_cost = { file = \"table.csv\", column = \"b\" }\n",
    "model = \"selfish-mixed\"\nreplicas = 64\nwarmup = 0\nduration = 10\n[parameters]\nservers = 2\nstreams = 2\n\
     strategy = \"matrix\"\nstrategy_matrix = { file = \"table.csv\", columns = [\"a\", \"b\"] }\n",
];

/// A text is refused in words, or is an experiment whose canonical form is that of the same experiment.
pub fn check(text: &str, file_name: &str) {
    let experiment = match Experiment::parse(text, file_name, &[], Some(1)) {
        Ok(experiment) => experiment,
        Err(problems) => {
            assert!(!problems.to_string().is_empty());
            return;
        }
    };
    let resolved = experiment.resolved();
    match Experiment::parse(&resolved, "resolved.toml", &[], None) {
        Ok(again) => assert_eq!(again.resolved(), resolved),
        Err(problems) => panic!("{problems}\nof\n{resolved}"),
    }
}

/// A table is refused in words, or read by an experiment of which [`check`] holds.
pub fn check_table(table: &[u8]) {
    let folder = std::env::temp_dir().join(format!("queuefarm-table-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the table");
    std::fs::write(folder.join("table.csv"), table).expect("room for the table");
    let name = folder.join("experiment.toml");
    for reader in READERS {
        check(reader, &name.to_string_lossy());
    }
}
