//! A network that counts what is sent: the payloads of all UDP datagrams, handshakes and
//! acknowledgements included.

use std::{
    fmt, io,
    net::{IpAddr, SocketAddr},
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll},
};

use quinn::{
    AsyncUdpSocket, UdpPoller,
    udp::{RecvMeta, Transmit},
};
use rejoinder::environment::{Network, UdpNetwork};

/// Bytes sent by all sockets of the networks that share it.
pub(crate) type Sent = Arc<AtomicU64>;

/// The real network, counted.
#[derive(Debug)]
pub(crate) struct Counting(pub(crate) Sent);

impl Network for Counting {
    fn bind(&self, address: SocketAddr) -> io::Result<Arc<dyn AsyncUdpSocket>> {
        let inner = UdpNetwork.bind(address)?;
        Ok(Arc::new(Socket { inner, sent: Arc::clone(&self.0) }))
    }

    fn interfaces(&self) -> Vec<IpAddr> {
        UdpNetwork.interfaces()
    }
}

struct Socket {
    inner: Arc<dyn AsyncUdpSocket>,
    sent: Sent,
}

impl AsyncUdpSocket for Socket {
    fn create_io_poller(self: Arc<Self>) -> Pin<Box<dyn UdpPoller>> {
        Arc::clone(&self.inner).create_io_poller()
    }

    fn try_send(&self, transmit: &Transmit<'_>) -> io::Result<()> {
        self.inner.try_send(transmit)?;
        self.sent.fetch_add(transmit.contents.len() as u64, Ordering::Relaxed);
        Ok(())
    }

    fn poll_recv(
        &self,
        context: &mut Context<'_>,
        buffers: &mut [io::IoSliceMut<'_>],
        meta: &mut [RecvMeta],
    ) -> Poll<io::Result<usize>> {
        self.inner.poll_recv(context, buffers, meta)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.inner.local_addr()
    }

    fn max_transmit_segments(&self) -> usize {
        self.inner.max_transmit_segments()
    }

    fn max_receive_segments(&self) -> usize {
        self.inner.max_receive_segments()
    }

    fn may_fragment(&self) -> bool {
        self.inner.may_fragment()
    }
}

impl fmt::Debug for Socket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Socket").field(&self.inner).finish()
    }
}
