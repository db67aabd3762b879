from thinktime.models.engine.machine_state cimport State

cdef class Current:
    cdef public State state
