# Copyright Spack Project Developers. See COPYRIGHT file for details.
#
# SPDX-License-Identifier: (Apache-2.0 OR MIT)

from spack_repo.builtin.build_systems.cargo import CargoPackage

from spack.package import *


class Nodeorder(CargoPackage):
    """Node orderings for supercomputer schedulers: builds the network, generates orderings, computes exact mean
    placement curves, replays and schedules job logs, exports to Slurm, Flux, PBS, LSF and SimGrid."""

    homepage = "@SOURCE@"
    url = "@ARCHIVE@"

    license("MIT OR Apache-2.0", checked_by="nodeorder")

    version("@VERSION@", sha256="@SHA256@")

    variant("parquet", default=True, description="Read tables of jobs in Apache Parquet")
    variant("highs", default=False, description="Solve integer programs with HiGHS")

    depends_on("rust@@RUST@:", type="build")
    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+highs")
    depends_on("cmake", type="build", when="+highs")
    depends_on("llvm+clang", type="build", when="+highs")

    # The command is a crate of its own below the root.
    @property
    def build_directory(self):
        return join_path(self.stage.source_path, "src", "cli")

    @property
    def build_args(self):
        features = [name for name in ("parquet", "highs") if self.spec.satisfies(f"+{name}")]
        return ["--locked", "--features", ",".join(features)] if features else ["--locked"]

    @run_after("install")
    def install_pages(self):
        command = Executable(self.prefix.bin.nodeorder)
        command("man", "--out", join_path(self.prefix.share, "man", "man1"))
        for shell, path in {
            "bash": ("share", "bash-completion", "completions", "nodeorder"),
            "fish": ("share", "fish", "vendor_completions.d", "nodeorder.fish"),
            "zsh": ("share", "zsh", "site-functions", "_nodeorder"),
        }.items():
            target = join_path(self.prefix, *path)
            mkdirp(ancestor(target))
            with open(target, "w", encoding="utf-8") as out:
                command("completions", shell, output=out)

    def check(self):
        Executable(self.prefix.bin.nodeorder)("--version")
