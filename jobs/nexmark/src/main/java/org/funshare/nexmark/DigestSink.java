package org.funshare.nexmark;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/** Sends nothing: a SHA-256 of every topic and partition, in order, to show that data are the same. */
final class DigestSink implements EventSink {
    private final List<String> topics;
    private final int partitions;
    private final MessageDigest[] digests;

    DigestSink(List<String> topics, int partitions) {
        this.topics = topics;
        this.partitions = partitions;
        this.digests = new MessageDigest[topics.size() * partitions];
        for (int at = 0; at < digests.length; at++) {
            digests[at] = sha256();
        }
    }

    @Override
    public void send(Event event) {
        MessageDigest digest = digests[event.topic() * partitions + event.partition(partitions)];
        digest.update(ByteBuffer.allocate(Long.BYTES).putLong(0, event.key()));
        digest.update(event.value());
    }

    @Override
    public String report() {
        StringBuilder members = new StringBuilder(",\"digests\":{");
        for (int at = 0; at < digests.length; at++) {
            members.append(at == 0 ? "" : ",");
            members.append('"').append(topics.get(at / partitions)).append('-').append(at % partitions).append("\":\"");
            members.append(HexFormat.of().formatHex(digests[at].digest())).append('"');
        }
        return members.append('}').toString();
    }

    @Override
    public void close() {
        // Nothing is held open.
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException error) {
            throw new IllegalStateException("every Java runtime has SHA-256", error);
        }
    }
}
