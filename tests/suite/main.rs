//! End to end: real sockets, real disks, real processes and terminals, and the map of the house.

mod layers;
