"""A contract for import-linter: no module imports a package that it lies in.

A package that re-exports names imports its modules, so a module that imports the package closes a circle. The contract
`acyclic_siblings` of import-linter finds all other circles: those between modules and packages side by side.
"""

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output


class OwnPackage(Contract):
    """Modules of the rooms do not import the packages around them."""

    type_name = "own_package"
    allowed = fields.ListField(subfield=fields.StringField())

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Look at every import, those under TYPE_CHECKING and inside functions included."""
        found = [
            (module, package)
            for module in sorted(graph.modules)
            for package in sorted(graph.find_modules_directly_imported_by(module))
            if module.startswith(f"{package}.") and package not in self.allowed
        ]
        return ContractCheck(kept=not found, metadata={"found": found})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Name each module with the package."""
        for module, package in check.metadata["found"]:
            output.print_error(f"{module} imports {package}, which it is part of")
