// recent.h: what was written to memory in the last HAZARD iterations and may not have arrived there yet.
//
// A loop that reads a word written by an earlier iteration waits for memory, a hundred cycles and more, unless the
// compiler is told (#pragma ivdep safelen(HAZARD)) that no iteration needs what the HAZARD iterations before it wrote.
// That holds where these writes are kept in registers, newest last, and looked up beside memory: HAZARD comparisons per
// cycle.

typedef struct {
    int key[HAZARD];
    uint value[HAZARD];
} Recent;

static inline Recent recent_none(void)
{
    Recent r;
    #pragma unroll
    for (int i = 0; i < HAZARD; i++) {
        r.key[i] = -1;
        r.value[i] = 0;
    }
    return r;
}

// Every iteration that may write records something: the word written, or -1 for none.
static inline void recent_set(Recent *r, const int key, const uint value)
{
    #pragma unroll
    for (int i = 0; i + 1 < HAZARD; i++) {
        r->key[i] = r->key[i + 1];
        r->value[i] = r->value[i + 1];
    }
    r->key[HAZARD - 1] = key;
    r->value[HAZARD - 1] = value;
}

static inline void recent_note(Recent *r, const int key)
{
    recent_set(r, key, 0);
}

static inline int recent_has(const Recent *r, const int key)
{
    int has = 0;
    #pragma unroll
    for (int i = 0; i < HAZARD; i++)
        has |= r->key[i] == key;
    return has;
}

// The word's value: the newest one recorded, else what memory has.
static inline uint recent_value(const Recent *r, const int key, uint value)
{
    #pragma unroll
    for (int i = 0; i < HAZARD; i++)
        if (r->key[i] == key)
            value = r->value[i];
    return value;
}
