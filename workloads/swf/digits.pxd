cimport cython

cdef int LINE_FEED, MINUS, POINT, SPACE, ZERO
cdef long long BITS, HALF, BELOW_SECOND

ctypedef (long long, long long) PlaceAndNext
ctypedef (long long, long long) DigitsAndCount


@cython.locals(
    taken="long long", columns="long long", rows="long long", row="long long", column="long long", number="long long",
    rest="long long", digits="unsigned long long", count="long long", place="long long",
)
cpdef long long write_rows(
    long long[:, ::1] ticks, unsigned char[:, ::1] given, const unsigned char[::1] texts, unsigned char[::1] out
) noexcept
cdef PlaceAndNext _copy(const unsigned char[::1] texts, long long taken, unsigned char[::1] out, long long at) noexcept
@cython.locals(count="long long", tens="long long")
cdef long long _count(long long number) noexcept
@cython.locals(
    reach=double, whole="long long", count="long long", scaled="long long", tens=double, digits="long long",
    beyond="long long",
)
cdef DigitsAndCount _fraction(long long ticks, long long rest) noexcept
@cython.locals(beyond="long long")
cdef long long _distance(long long scaled) noexcept
