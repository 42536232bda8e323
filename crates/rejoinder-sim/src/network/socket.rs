//! A socket on the simulated network, and quinn's runtime on tokio's paused clock.

use std::{
    io::{self, IoSliceMut},
    net::{IpAddr, Ipv4Addr, SocketAddr},
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
};

use quinn::{
    AsyncTimer, AsyncUdpSocket, Runtime, UdpPoller,
    udp::{RecvMeta, Transmit},
};
use tokio::{
    task::AbortHandle,
    time::{Instant, sleep_until},
};

use super::Network;

/// The network, as one machine sees it.
#[derive(Debug)]
pub(crate) struct Machine {
    pub(crate) network: Network,
    pub(crate) ip: IpAddr,
}

impl rejoinder::environment::Network for Machine {
    fn bind(&self, address: SocketAddr) -> io::Result<Arc<dyn AsyncUdpSocket>> {
        Ok(self.network.bind(self.ip, address.port())?)
    }

    fn interfaces(&self) -> Vec<IpAddr> {
        vec![self.network.address(self.ip)]
    }
}

/// A socket.
#[derive(Debug)]
pub(super) struct Socket {
    pub(super) network: Network,
    /// The machine and the port.
    pub(super) place: (IpAddr, u16),
    pub(super) owner: u64,
}

impl AsyncUdpSocket for Socket {
    fn create_io_poller(self: Arc<Self>) -> Pin<Box<dyn UdpPoller>> {
        Box::pin(AlwaysReady)
    }

    fn try_send(&self, transmit: &Transmit<'_>) -> io::Result<()> {
        let mut state = self.network.lock();
        // A dead process sends nothing more, whatever its tasks still do.
        if state.ports.get(&self.place).is_none_or(|port| port.owner != self.owner) {
            return Ok(());
        }
        let size = transmit.segment_size.unwrap_or(transmit.contents.len()).max(1);
        for bytes in transmit.contents.chunks(size) {
            state.send(self.place, transmit.destination, bytes);
        }
        drop(state);
        self.network.0.sent.notify_one();
        Ok(())
    }

    fn poll_recv(
        &self,
        cx: &mut Context<'_>,
        bufs: &mut [IoSliceMut<'_>],
        meta: &mut [RecvMeta],
    ) -> Poll<io::Result<usize>> {
        let mut state = self.network.lock();
        let Some(port) = state.ports.get_mut(&self.place).filter(|port| port.owner == self.owner)
        else {
            return Poll::Pending;
        };
        let mut count = 0;
        for (buf, meta) in bufs.iter_mut().zip(meta) {
            let Some(packet) = port.arrived.pop_front() else { break };
            let len = packet.bytes.len();
            buf[..len].copy_from_slice(&packet.bytes);
            *meta = RecvMeta { addr: packet.from, len, stride: len, ..RecvMeta::default() };
            count += 1;
        }
        if count == 0 {
            port.waker = Some(cx.waker().clone());
            return Poll::Pending;
        }
        Poll::Ready(Ok(count))
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(SocketAddr::new(Ipv4Addr::UNSPECIFIED.into(), self.place.1))
    }

    fn may_fragment(&self) -> bool {
        false
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        let mut state = self.network.lock();
        if state.ports.get(&self.place).is_some_and(|port| port.owner == self.owner) {
            state.ports.remove(&self.place);
        }
    }
}

#[derive(Debug)]
struct AlwaysReady;

impl UdpPoller for AlwaysReady {
    fn poll_writable(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// Runs quinn on tokio's clock, and can end all its tasks.
#[derive(Debug, Default)]
pub(crate) struct VirtualTime {
    tasks: Mutex<Vec<AbortHandle>>,
}

impl VirtualTime {
    /// Ends all tasks at once, as the end of a process does.
    pub(crate) fn kill(&self) {
        for task in self.tasks.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            task.abort();
        }
    }
}

impl Runtime for VirtualTime {
    fn new_timer(&self, at: std::time::Instant) -> Pin<Box<dyn AsyncTimer>> {
        Box::pin(sleep_until(at.into()))
    }

    fn spawn(&self, future: Pin<Box<dyn Future<Output = ()> + Send>>) {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        tasks.retain(|task| !task.is_finished());
        tasks.push(tokio::spawn(future).abort_handle());
    }

    fn wrap_udp_socket(&self, _: std::net::UdpSocket) -> io::Result<Arc<dyn AsyncUdpSocket>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn now(&self) -> std::time::Instant {
        Instant::now().into_std()
    }
}
