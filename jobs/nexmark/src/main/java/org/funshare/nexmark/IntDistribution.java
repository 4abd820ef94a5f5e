package org.funshare.nexmark;

/** Turns 64 random bits into a whole number; pure. */
interface IntDistribution {
    int pick(long bits);
}
