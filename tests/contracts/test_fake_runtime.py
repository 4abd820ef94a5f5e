"""The fake cluster keeps the contract that real Flink keeps."""

from __future__ import annotations

import pytest

from funshare_flink.ports import JobSpec
from tests.contracts.fake_runtime import FakeRuntime
from tests.contracts.runtime_contract import RuntimeContract


class TestFakeRuntime(RuntimeContract):
    @pytest.fixture
    def cluster(self) -> FakeRuntime:
        return FakeRuntime()

    def endless(self, name: str, slots: int) -> JobSpec:
        return JobSpec(name, "{}", slots, {})
