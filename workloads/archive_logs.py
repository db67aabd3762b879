"""The logs of the Parallel Workloads Archive that `archive.fetch` knows, each with its folder and checksum.

Addresses are relative to https://www.cs.huji.ac.il/labs/parallel/workload/. Where the archive recommends a
cleaned version ("cln"), that one is listed. SHA-256 checksums are given for the logs we had a copy of.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

SUFFIX = ".swf.gz"


@dataclass(frozen=True, slots=True)
class KnownLog:
    """The path of a log, relative to the archive's address, and its SHA-256 checksum if known."""

    path: str
    sha256: str | None = None


_SUMS = {
    "CEA-Curie-2011-2.1-cln": "e16817e0937e5524b6c4cb946b121910e4ffe90654df4d8a9e777f89ffaa77b3",
    "CTC-SP2-1996-3.1-cln": "b0340ab258dbf1be3ad7a2e3a9b6755255b30afbdf7f19071ef35844298d9deb",
    "KTH-SP2-1996-2": "07f87eefc377964b3755abd58c658462e4976dcb8a85656ae7eed0cedf6170f6",
    "KTH-SP2-1996-2.1-cln": "ca38b89067b6150d8ee172694e27a9e67194eef0d338b609a764d10608d50a14",
    "LANL-CM5-1994-4.1-cln": "8c766794a4b212f1192dc29a13ab30f8b3a671faa17593abe5d6b4d93401d76f",
    "SDSC-SP2-1998-4.2-cln": "542411910a45dabaa10a4c7237df39315d24e974b82c0e3a5c811e18585cf35a",
    "Sandia-Ross-2001-1.1-cln": "5d94406e44badb55900e19c72245aa287a32205d5e696e70f253e83786cd0fdf",
}

_FOLDERS = {
    "l_anl_int": ["ANL-Intrepid-2009-1"],
    "l_cea_curie": ["CEA-Curie-2011-2.1-cln"],
    "l_ciemat_euler": ["CIEMAT-Euler-2008-1"],
    "l_ctc_sp2": ["CTC-SP2-1995-2", "CTC-SP2-1996-3.1-cln"],
    "l_das2": [f"DAS2-fs{cluster}-2003-1" for cluster in range(5)],
    "l_hpc2n": ["HPC2N-2002-2.2-cln"],
    "l_intel_netbatch": [f"Intel-Netbatch{pool}-2012-1" for pool in "ABCD"],
    "l_kit_fh2": ["KIT-FH2-2016-1"],
    "l_kth_sp2": ["KTH-SP2-1996-2", "KTH-SP2-1996-2.1-cln"],
    "l_lanl_cm5": ["LANL-CM5-1994-4.1-cln"],
    "l_lanl_o2k": ["LANL-O2K-1999-2"],
    "l_lcg": ["LCG-2005-1"],
    "l_llnl_atlas": ["LLNL-Atlas-2006-2.1-cln"],
    "l_llnl_t3d": ["LLNL-T3D-1996-2"],
    "l_llnl_thunder": ["LLNL-Thunder-2007-1.1-cln"],
    "l_llnl_ubgl": ["LLNL-uBGL-2006-2"],
    "l_lpc": ["LPC-EGEE-2004-1.2-cln"],
    "l_metacentrum": ["METACENTRUM-2009-2"],
    "l_metacentrum2": ["METACENTRUM-2013-3"],
    "l_nasa_ipsc": ["NASA-iPSC-1993-3.1-cln"],
    "l_osc": ["OSC-Clust-2000-3.1-cln"],
    "l_pik_iplex": ["PIK-IPLEX-2009-1"],
    "l_ricc": ["RICC-2010-2"],
    "l_sandia_ross": ["Sandia-Ross-2001-1.1-cln"],
    "l_sdsc_blue": ["SDSC-BLUE-2000-4.2-cln"],
    "l_sdsc_ds": ["SDSC-DS-2004-2.1-cln"],
    "l_sdsc_par": ["SDSC-Par-1995-3.1-cln", "SDSC-Par-1996-3.1-cln"],
    "l_sdsc_sp2": ["SDSC-SP2-1998-4.2-cln"],
    "l_sharcnet": ["SHARCNET-2005-2", "SHARCNET-Whale-2006-2"],
    "l_unilu_gaia": ["UniLu-Gaia-2014-2"],
}

LOGS: Mapping[str, KnownLog] = {
    name: KnownLog(f"{folder}/{name}{SUFFIX}", _SUMS.get(name))
    for folder, names in _FOLDERS.items()
    for name in names
}
"""The known logs by name, without the suffix .swf.gz."""
