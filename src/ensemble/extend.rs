//! More batches for a finished ensemble: the same bits as if all had been asked for at once.

use super::{Ensemble, Harvest, Provenance, Results, Share};
use crate::engine::{Backend, Fault, Watch};

impl Results {
    /// The experiment with `more` batches of the same size, or why it cannot have them.
    ///
    /// # Errors
    /// More replicas than can be numbered.
    pub fn ensemble_of(&self, more: u32) -> Result<Ensemble, Fault> {
        let mut experiment = self.experiment.clone();
        let size = experiment.replicas / experiment.batches;
        let batches = experiment.batches.checked_add(more);
        let sizes = batches.and_then(|batches| Some((batches, batches.checked_mul(size)?)));
        let Some((batches, replicas)) = sizes else {
            return Err(Fault::Host(format!(
                "{more} more batches of {size} replicas would make more than {} replicas a point",
                u32::MAX
            )));
        };
        (experiment.batches, experiment.replicas) = (batches, replicas);
        // The file and what replaces its keys still say what was simulated.
        experiment
            .overrides
            .retain(|line| !line.starts_with("replicas=") && !line.starts_with("batches="));
        experiment.overrides.push(format!("replicas={replicas}"));
        experiment.overrides.push(format!("batches={batches}"));
        Ok(Ensemble {
            experiment,
            points: self.points.clone(),
            plans: self.plans.clone(),
        })
    }

    /// Simulates `more` batches of every point and appends them.
    ///
    /// # Errors
    /// Those of [`Results::ensemble_of`] and of the backend; the results are then as they were.
    pub fn extend(
        &mut self,
        more: u32,
        backend: &mut dyn Backend,
        watch: &Watch,
    ) -> Result<(), Fault> {
        let ensemble = self.ensemble_of(more)?;
        let mut harvest = ensemble.nothing_of(self.experiment.batches..ensemble.experiment.batches);
        let provenance =
            ensemble.simulate(backend, watch, &mut harvest, Share::WHOLE, &|_, _| ())?;
        self.append(ensemble, harvest, &provenance);
        Ok(())
    }

    /// Appends the further batches of `ensemble`, which [`Results::ensemble_of`] made; the harvest is complete.
    pub fn append(&mut self, ensemble: Ensemble, harvest: Harvest, provenance: &Provenance) {
        for (known, new) in self.batches.iter_mut().zip(harvest.into_batches()) {
            known.extend(new);
        }
        self.experiment = ensemble.experiment;
        self.provenance.add(provenance);
    }
}
