cimport cython
from libc cimport math

cdef long long COMMENT, ODD, EXTRA
cdef int TAB, LINE_FEED, FORM_FEED, CARRIAGE_RETURN, SPACE
cdef int PLUS, MINUS, POINT, ZERO, SEMICOLON, LARGE_E, SMALL_E
cdef long long EXACT, FULL, FAR
cdef double nan
cdef double[::1] POWERS
cdef long long[::1] TENS

ctypedef (long long, long long) PlaceAndNumber


@cython.locals(begin="long long", field="long long", rows="long long", noted="long long")
cpdef tuple tokenise(
    unsigned char[::1] text, long long at, long long end, long long line, double[::1] limits,
    signed char[::1] integral, double[:, ::1] values, long long[::1] lines, long long[:, ::1] notes
)
@cython.locals(
    field="long long", begin="long long", w="long long", exponent="long long", point="long long", power="long long",
    digit=int, negative=bint, cut=bint, value=double,
)
cdef PlaceAndNumber _record(
    unsigned char[::1] text, long long at, double[::1] limits, signed char[::1] integral, double[:, ::1] values,
    long long row
) noexcept
@cython.locals(negative=bint, begin="long long", power="long long")
cdef PlaceAndNumber _power(unsigned char[::1] text, long long at) noexcept
cdef double _scaled(long long w, long long exponent) noexcept
@cython.locals(bits="long long", rest="long long", scale=double)
cdef double _quotient(long long w, long long tens) noexcept
cdef bint _is_blank(int letter) noexcept
cdef bint _ends_line(int letter) noexcept
cdef long long _note(
    unsigned char[::1] text, long long begin, long long at, long long what, long long number, long long[:, ::1] notes,
    long long place
) noexcept
