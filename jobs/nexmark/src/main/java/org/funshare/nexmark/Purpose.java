package org.funshare.nexmark;

/** What a random number is for. The order is part of the data format: append only, or all data change. */
enum Purpose {
    ATTR,
    ATTR_NULL,
    LATENESS,
    LATE,
    TIE,
    DUPLICATE,
    HOT_KEY,
    KEY,
    HOT_PERSON,
    PERSON,
    PRICE,
    PRICE_NULL,
    RESERVE,
    CATEGORY,
    EXPIRES,
    TEXT,
    SIDE
}
