ctypedef (double, long long) TimeAndCount
ctypedef (long long, double) CountAndTime

cdef class Structure:
    cpdef make_empty(self)
    cpdef dict all_numbers(self)
