package org.funshare.nexmark;

/**
 * How many join keys the dense streams have and which share of the events goes to stream_a, over event time.
 *
 * <p>Text form: phases joined by ';', each {@code SECOND=KEYS:SHARE_OF_A}, like {@code 0=500:0.5;60=10:0.25}.
 */
final class KeyPhases {
    private final long[] fromSecond;
    private final int[] keys;
    private final double[] shareOfA;

    private KeyPhases(int phases) {
        this.fromSecond = new long[phases];
        this.keys = new int[phases];
        this.shareOfA = new double[phases];
    }

    static KeyPhases parse(String text) {
        String[] parts = text.split(";");
        KeyPhases phases = new KeyPhases(parts.length);
        for (int at = 0; at < parts.length; at++) {
            String[] words = parts[at].split("[=:]");
            if (words.length != 3) {
                throw new SettingException("phase '" + parts[at] + "': write it as SECOND=KEYS:SHARE_OF_A, like 0=500:0.5");
            }
            phases.fromSecond[at] = Numbers.wholeNumber("phase second", words[0]);
            phases.keys[at] = (int) Numbers.wholeNumber("keys", words[1]);
            phases.shareOfA[at] = Numbers.decimal("share of stream_a", words[2]);
            if (phases.keys[at] < 1 || phases.shareOfA[at] > 1) {
                throw new SettingException("phase '" + parts[at] + "': keys must be 1 or more, the share 0 to 1");
            }
        }
        Numbers.requirePhaseOrder(text, phases.fromSecond);
        return phases;
    }

    int keys(long eventSecond) {
        return keys[phaseAt(eventSecond)];
    }

    double shareOfA(long eventSecond) {
        return shareOfA[phaseAt(eventSecond)];
    }

    private int phaseAt(long eventSecond) {
        int phase = fromSecond.length - 1;
        while (phase > 0 && fromSecond[phase] > eventSecond) {
            phase--;
        }
        return phase;
    }
}
