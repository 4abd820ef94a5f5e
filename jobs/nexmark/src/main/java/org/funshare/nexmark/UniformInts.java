package org.funshare.nexmark;

/** Every value from {@code low} to {@code high}, both included, with equal chance. */
record UniformInts(int low, int high) implements IntDistribution {
    UniformInts {
        if (low > high) {
            throw new SettingException("uniform:" + low + ":" + high + ": the low end is above the high end; swap them");
        }
    }

    @Override
    public int pick(long bits) {
        return low + Chance.scale(bits, high - low + 1);
    }
}
