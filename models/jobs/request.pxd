cimport cython
from thinktime.models.engine.current cimport Current
from thinktime.models.engine.machine_state cimport State

cdef class Request

cdef class Source:
    cdef readonly object table
    cdef readonly object names
    cdef Current current
    @cython.locals(job=Request)
    cdef Request job(self, long long row)
    @cython.locals(state=State)
    cdef bint has(self, long long row)

@cython.no_gc
@cython.freelist(256)
cdef class Request:
    cdef Source _source
    cdef readonly long long row
    cdef bint _known(self)
