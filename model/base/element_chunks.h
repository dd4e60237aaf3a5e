/* What an element_array becomes when elements come and go in the middle of very many: a list of short arrays, so that an insertion or removal
 * anywhere moves few elements; of still more a list of such lists, and so on. All operations are amortised O(log count), and O(1) next to the
 * place of the one before. */
#ifndef BASE_ELEMENT_CHUNKS_H
#define BASE_ELEMENT_CHUNKS_H

#include "base/element_array.h"

/* Most elements of one short array; an element_array as long as this stays in one piece. */
enum { ELEMENT_CHUNK_MAX = 256 };

typedef struct element_chunks element_chunks;

/* The elements of `array`, which is not empty, copied. Free with element_chunks_free() (NULL is allowed). */
element_chunks *element_chunks_new(const element_array *array);
void element_chunks_free(element_chunks *chunks);

/* Whether the list has become so long that element_chunks_new() should make a better one. */
bool element_chunks_are_too_many(const element_chunks *chunks);

/* As the functions of element_array.h; `index` and `count` must be right. */
void *element_chunks_at(element_chunks *chunks, size_t index);
void *element_chunks_insert(element_chunks *chunks, size_t index);
void element_chunks_remove(element_chunks *chunks, size_t index, size_t count);
size_t element_chunks_count_to(element_chunks *chunks, size_t key_offset, uint64_t bound);

#endif
