ctypedef (double, long long) TimeAndCount
ctypedef (long long, double) CountAndTime

cdef class Structure:
    cpdef bind(self, names, arrays)
