// A loop of 2^20 steps.
//
// fails: rusticl 22.3 llvmpipe: wrong: it leaves all loops of a kernel after 65535 steps in all, and says nothing; 25.0.7 is right
// here:  cl/device/probe.cl has such a loop: the device counts as broken

__kernel void minimal(__global int *out, __global const int *in)
{
    const uint steps = (uint)in[1] << 20;
    uint x = 1;
    for (uint i = 0; i < steps; i++) x = 5 * x + 1;
    out[get_global_id(0)] = x == 0x01b00001u;
}
