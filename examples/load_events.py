"""Fills the example's topics with Nexmark events: `python examples/load_events.py [--events N]`.

The same seed gives the same events. Event time runs at 10,000 events a second from the start of 2024.
"""

from __future__ import annotations

import argparse
import sys

from funshare_flink import wiring
from funshare_flink.kafka.nexmark import DeliverySettings, NexmarkSettings
from funshare_flink.model.errors import FunShareError


def main() -> int:
    """Exit code 1 with one message when the broker or the generator is not there."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--bootstrap", default="localhost:9092", help="default: localhost:9092")
    options.add_argument(
        "--events", type=int, default=500_000, help="default: 500,000; 1 person : 3 auctions : 46 bids"
    )
    options.add_argument("--rate", type=int, default=0, help="events per second (default: as fast as possible)")
    args = options.parse_args()
    delivery = DeliverySettings(args.bootstrap, rate_eps=args.rate)
    try:
        report = wiring.nexmark(wiring.Place.of(None, None), NexmarkSettings(delivery, events=args.events)).run()
    except FunShareError as e:
        print(f"load_events: {e}", file=sys.stderr)
        return 1
    for topic, count in report.records:
        print(f"{topic}: {count:,} records")
    return 0


if __name__ == "__main__":
    sys.exit(main())
