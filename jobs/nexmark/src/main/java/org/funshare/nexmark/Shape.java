package org.funshare.nexmark;

import java.util.List;

/** Which topics there are and what event number {@code index} is. Pure: the same index, the same event. */
interface Shape {
    List<String> topics();

    Event event(long index);
}
