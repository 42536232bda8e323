//! Running a story: on a new thread with its own runtime, whose clock is paused, under a watchdog
//! in real time.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::mpsc,
    time::Duration,
};

use crate::{crypto, failure::Failure, lock::lock, world::World};

impl World {
    /// Tells a story in this world, in virtual time, on a thread of its own.
    ///
    /// # Panics
    ///
    /// Panics if the story panics or a promise of the engine is broken. The message has the seed
    /// and the last lines of the trace.
    pub fn run<T: Send + 'static>(
        &self,
        story: impl AsyncFnOnce(&Self) -> T + Send + 'static,
    ) -> T {
        self.try_run(story).unwrap_or_else(|failure| panic!("{failure}"))
    }

    /// Works like [`run`](Self::run), but returns a failure as a value.
    ///
    /// # Errors
    ///
    /// The failure that [`run`](Self::run) panics with.
    pub fn try_run<T: Send + 'static>(
        &self,
        story: impl AsyncFnOnce(&Self) -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let patience = *lock(&self.ground.patience);
        tell_on_a_thread(self, patience, story)
    }
}

fn tell_on_a_thread<T: Send + 'static>(
    world: &World,
    patience: Duration,
    story: impl AsyncFnOnce(&World) -> T + Send + 'static,
) -> Result<T, Failure> {
    let (done, ended) = mpsc::channel();
    let inside = world.clone();
    let work = move || {
        #[cfg(rejoinder_mutants)]
        rejoinder_identity::mutant::choose(*lock(&inside.ground.mutant));
        let told = catch_unwind(AssertUnwindSafe(|| tell(&inside, story)));
        // Nobody waits for this any more if the watchdog was faster.
        let _late = done.send(told);
    };
    let thread = std::thread::Builder::new().name(format!("world {}", world.seed()));
    if let Err(error) = thread.spawn(work) {
        return Err(failure(world, format!("no thread for the world: {error}")));
    }
    let told = match ended.recv_timeout(patience) {
        Ok(told) => told.map_err(|panic| failure(world, text(&*panic))),
        Err(_) => Err(failure(world, format!("not done within {patience:?} of real time"))),
    };
    match world.ground.broken() {
        Some(why) => Err(failure(world, why)),
        None => told?.ok_or_else(|| failure(world, "broken".to_owned())),
    }
}

/// Tells the story; `None` if a promise was broken first.
fn tell<T>(world: &World, story: impl AsyncFnOnce(&World) -> T) -> Option<T> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime without sockets can be built");
    runtime.block_on(async {
        world.ground.trace.begin();
        crypto::begin(world.seed());
        tokio::spawn(world.ground.network.clone().fly());
        tokio::spawn(world.clone().look_around());
        let told = tokio::select! {
            biased;
            () = world.ground.breaks() => None,
            told = story(world) => Some(told),
        };
        for peer in world.peers() {
            peer.kill();
        }
        world.ends();
        told
    })
}

fn failure(world: &World, why: String) -> Failure {
    Failure { seed: world.seed(), why, trace: world.ground.trace.tail() }
}

fn text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    format!("panicked: {}", text.unwrap_or("without a message"))
}
