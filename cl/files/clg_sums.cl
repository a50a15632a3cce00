// files/clg_sums.cl: CRC-32 (of zlib, gzip and PNG) of the blocks of a .clg file, on the device that its arrays are on.
//
// A checksum is the remainder of its bytes, as one long polynomial over GF(2), by POLYNOMIAL: a sum. So each work-item
// takes the remainder of CHUNK bytes, by eight tables (Kounavis, Berry: Novel table lookup-based algorithms for
// high-performance CRC generation, 2008), multiplies it by x^8 for each byte of its block that follows (as
// crc32_combine of zlib does), and adds it, which is an exclusive or. A chunk lies in one block: arrays begin at
// multiples of 4096 bytes of the file, and blocks do.
//
// data     ulong[]       some bytes of the file: `nbytes`, from byte `begin` after the header on; covered: of all of them
// tables   uint[8][256]  remainders of a byte, and of a byte with 1 .. 7 bytes behind it
// powers   uint[27]      x^8, x^16, x^32, ...
// sums     uint[blocks]  remainders of whole blocks, without what zlib adds before and behind
// launch   one work-item per chunk
// tunables CHUNK, a divisor of 4096

#ifndef CHUNK
#define CHUNK 4096
#endif
#ifndef BLOCK
#define BLOCK (1 << 26)
#endif
#define POLYNOMIAL 0xEDB88320u
#define BYTE(word, k) ((uint)((word) >> 8 * (k)) & 255u)
#define TERM(word, k) tables[256 * (7 - (k)) + BYTE(word, k)]

// The product of two remainders; the highest power is in the lowest bit.
static inline uint product(const uint a, uint b)
{
    uint sum = 0;
    for (uint bit = 1u << 31; bit; bit >>= 1) {
        sum ^= a & bit ? b : 0;
        b = (b >> 1) ^ (b & 1 ? POLYNOMIAL : 0);
    }
    return sum;
}

__kernel void binary_sums(const long nbytes, const long begin, const long covered, __global const uint *restrict tables,
                          __global const uint *restrict powers, __global const ulong *restrict data,
                          volatile __global uint *sums)
{
    const long first = (long)get_global_id(0) * CHUNK;
    if (first < nbytes) {
        const long last = min(first + CHUNK, nbytes);
        uint sum = 0;
        for (long at = first; at + 8 <= last; at += 8) {
            const ulong word = data[at >> 3] ^ sum;
            sum = TERM(word, 0) ^ TERM(word, 1) ^ TERM(word, 2) ^ TERM(word, 3) ^ TERM(word, 4) ^ TERM(word, 5) ^
                  TERM(word, 6) ^ TERM(word, 7);
        }
        __global const uchar *bytes = (__global const uchar *)data;
        for (long at = last & ~7L; at < last; at++)
            sum = sum >> 8 ^ tables[BYTE(sum ^ bytes[at], 0)];
        const long block = (begin + first) / BLOCK;
        const uint behind = (uint)(min((block + 1) * BLOCK, covered) - (begin + last));
        for (int k = 0; behind >> k; k++)
            if (behind >> k & 1)
                sum = product(powers[k], sum);
        atomic_xor(&sums[block], sum);
    }
}
