// files/parse.cl: the rows of an edge list, parsed in parallel.
//
// The text comes in pieces of whole lines; each work-item takes the lines that begin in its block of BLOCK bytes.
// parse_count counts those that hold a row (neither blank nor a comment), the host sums the counts up, and parse_rows
// puts each row where it belongs. A number is read eight digits at a time (Lemire's multiplications, as in simdjson).
// What these kernels do not take is counted (`seen`), and the host's scanner reads the file: clgraph/formats/edges.py
// says what a row is.
//
// text        uchar[end + 8]         text[end - 1] is a line feed, which ends every search; what follows is not used
// rows        int[blocks]            rows in each block; the rows before it when parse_rows runs
// source, target  ID[]               ids by row, from row `base` on
// weight      ulong[]                bits of float64
// hard_row, hard_at  int[hard_room]  rows whose weight the host reads, and where it begins
// seen        uint[SEEN]
// launch      one work-item per block
// tunables    BLOCK: hundreds of bytes on GPUs, tens of thousands on CPUs; ID: int, or long where int does not do;
//             EXACT: rows as Matrix Market has them, without comments, plus signs or further columns; WHOLE: weights
//             are whole numbers

#include "files/decimal.h"
#include "files/digits.h"

#ifndef ID
#define ID int
#endif
#ifndef BLOCK
#define BLOCK 256
#endif
#ifndef WEIGHTED
#define WEIGHTED 0
#endif
#ifndef EXACT
#define EXACT 0
#endif
#ifndef WHOLE
#define WHOLE 0
#endif

#define ODD_ROWS 0    // rows that are left to the host's scanner
#define ODD_FIRST 1   // the first of them
#define HARD_ROWS 2   // weights that are left to the host
#define WIDE_ROWS 3   // rows with an id beyond ID
#define HIGHEST 4     // the highest id; of a long its upper half
#define LOOPS 5       // rows from a vertex to itself

#define ID_MAX (sizeof(ID) == 4 ? (ulong)INT_MAX : (ulong)LONG_MAX)

static inline int skip_blanks(__global const uchar *text, int p)
{
    while (IS_BLANK(text[p]))
        p++;
    return p;
}

// Whether a line or what comment follows its row ends at p. A carriage return alone ends a line too, but no row here.
static inline int at_end(__global const uchar *text, const int p)
{
    const uchar c = text[p];
    return c == '\n' || (!EXACT && (c == '#' || c == '%')) || (c == '\r' && text[p + 1] == '\n');
}

// The first line feed from p on; eight bytes at a time.
static inline int line_feed(__global const uchar *text, int p)
{
    for (;; p += 8) {
        const ulong x = as_ulong(vload8(0, text + p)) ^ 0x0A0A0A0A0A0A0A0A;
        const ulong found = (x - 0x0101010101010101) & ~x & 0x8080808080808080;
        if (found)
            return p + ((int)popcount((found - 1) & ~found) >> 3);
    }
}

// The first line that begins in the block from `from` on.
static inline int first_line(__global const uchar *text, const int begin, const int from)
{
    return from == begin ? from : line_feed(text, from - 1) + 1;
}

__kernel void parse_count(const int begin, const int end, __global const uchar *restrict text,
                          __global int *restrict rows)
{
    const long from = begin + (long)get_global_id(0) * BLOCK;
    if (from < end) {
        const int to = (int)min(from + BLOCK, (long)end);
        int count = 0;
        for (int p = first_line(text, begin, (int)from); p < to; p++) {
            p = skip_blanks(text, p);
            count += !at_end(text, p);
            p = line_feed(text, p);
        }
        rows[get_global_id(0)] = count;
    }
}

// A decimal at *at, which is moved behind it. Gives CERTAIN, DOUBTFUL (the host reads it), or -1: no decimal.
static inline int real_number(__global const uchar *text, int *at, __global const ulong *powers, ulong *bits)
{
    int p = *at, digits = 0, count = 0, exponent = 0;
    ulong value = 0;
    const int negative = text[p] == '-';
    p += negative || (!EXACT && text[p] == '+');
    if (WHOLE) {
        int fits;
        *bits = 0;
        value = whole_number(text, &p, 0, &fits);
        *at = p;
        const int certain = fits ? nearest_double(value, 0, powers, bits) : -1;
        *bits |= (ulong)(negative && value) << 63;
        return certain;
    }
    for (int part = 0; part < 2; part++) {
        for (; IS_DIGIT(text[p]); p++) {
            digits++;
            if (count < 20 && (count || text[p] != '0')) {
                value = value * 10 + (text[p] - '0');
                count++;
            }
            exponent -= part;
        }
        if (part == 0 && text[p] == '.')
            p++;
        else
            break;
    }
    if (digits == 0)
        return -1;
    if (text[p] == 'e' || text[p] == 'E') {
        const int minus = text[++p] == '-';
        p += minus || text[p] == '+';
        if (!IS_DIGIT(text[p]))
            return -1;
        int power = 0;
        for (; IS_DIGIT(text[p]); p++)
            power = power < 100000 ? power * 10 + (text[p] - '0') : power;
        exponent += minus ? -power : power;
    }
    *at = p;
    const int certain = count < 20 ? nearest_double(value, exponent, powers, bits) : DOUBTFUL;
    *bits |= (ulong)negative << 63;
    return certain;
}

typedef struct {
    int columns[3];   // of source, target and weight
    int last;         // the highest of them
    int comma;        // whether commas separate fields, else blanks
} layout;

typedef struct {
    ulong id[2];
    ulong weight;
    int weight_at;    // where a weight begins that is left to the host, or -1
} row;

// The row at *at, which is moved into what follows its last column. Whether it is one that is taken here.
static inline int take_row(__global const uchar *text, int *at, const layout *how,
                           __global const ulong *powers, row *out)
{
    int p = *at;
    for (int field = 0;; field++) {
        int fits = 1;
        if (field == how->columns[0]) {
            out->id[0] = whole_number(text, &p, !EXACT, &fits);
        } else if (field == how->columns[1]) {
            out->id[1] = whole_number(text, &p, !EXACT, &fits);
        } else if (WEIGHTED && field == how->columns[2]) {
            const int begin = p;
            const int certain = real_number(text, &p, powers, &out->weight);
            fits = certain >= 0;
            out->weight_at = certain == DOUBTFUL ? begin : -1;
        } else {   // a column that nobody asked for
            while (text[p] > ' ' && text[p] < 127 && text[p] != '#' && text[p] != '%' &&
                   !(how->comma && (text[p] == ',' || text[p] == '"')))
                p++;
        }
        *at = p;
        if (!fits)
            return 0;
        p = skip_blanks(text, p);
        if (at_end(text, p))
            return field == how->last;
        if (how->comma ? text[p] != ',' : p == *at)
            return 0;
        if (field == how->last)
            return !EXACT;
        p = how->comma ? skip_blanks(text, p + 1) : p;
        if (how->comma && at_end(text, p))
            return 0;
    }
}

// base: the row of the first line; capacity: of the columns.
__kernel void parse_rows(const int begin, const int end, const long base, const int source_column,
                         const int target_column, const int weight_column, const int comma,
                         __global const uchar *restrict text, __global const int *restrict rows,
                         __global const ulong *restrict powers, __global ID *restrict source,
                         __global ID *restrict target, __global ulong *restrict weight, const int hard_room,
                         __global int *restrict hard_row, __global int *restrict hard_at, volatile __global uint *seen)
{
    const long from = begin + (long)get_global_id(0) * BLOCK;
    if (from < end) {
        const int to = (int)min(from + BLOCK, (long)end);
        const layout how = {
            {source_column, target_column, weight_column},
            max(max(source_column, target_column), WEIGHTED ? weight_column : 0),
            comma,
        };
        int r = rows[get_global_id(0)];
        uint odd = 0, odd_first = UINT_MAX, wide = 0, loops = 0;
        ulong highest = 0;
        for (int p = first_line(text, begin, (int)from); p < to; p++) {
            p = skip_blanks(text, p);
            const int is_row = !at_end(text, p);
            int taken = 1;
            if (is_row) {
                row out = {{0, 0}, 0, -1};
                taken = take_row(text, &p, &how, powers, &out);
                const ulong higher = max(out.id[0], out.id[1]);
                wide += higher > ID_MAX;
                highest = max(highest, higher);
                loops += out.id[0] == out.id[1];
                source[base + r] = (ID)out.id[0];
                target[base + r] = (ID)out.id[1];
                if (WEIGHTED) {
                    weight[base + r] = out.weight;
                    if (taken && out.weight_at >= 0) {
                        const int k = (int)atomic_inc(&seen[HARD_ROWS]);
                        if (k < hard_room) {
                            hard_row[k] = r;
                            hard_at[k] = out.weight_at;
                        }
                    }
                }
            }
            int comment = !is_row;
            for (; text[p] != '\n'; p++) {
                comment |= text[p] == '#' || text[p] == '%';
                taken &= !(text[p] == '\r' && text[p + 1] != '\n') && !(comma && !comment && text[p] == '"');
            }
            if (!taken) {
                odd++;
                odd_first = min(odd_first, (uint)r);
            }
            r += is_row;
        }
        if (odd) {
            atomic_add(&seen[ODD_ROWS], odd);
            atomic_min(&seen[ODD_FIRST], odd_first);
        }
        if (wide)
            atomic_add(&seen[WIDE_ROWS], wide);
        if (loops)
            atomic_add(&seen[LOOPS], loops);
        const uint most = (uint)(sizeof(ID) == 4 ? highest : highest >> 32);
        // stale is harmless: the word only grows, and most work-items need not touch it
        if (most > SHARED_LOAD(&seen[HIGHEST]))
            atomic_max(&seen[HIGHEST], most);
    }
}

// The weights that the host read.
__kernel void parse_patch(const int count, const long base, __global const int *restrict patch_row,
                          __global const ulong *restrict patch, __global ulong *restrict weight)
{
    FOR_ITEMS(k, count)
        weight[base + patch_row[k]] = patch[k];
}
