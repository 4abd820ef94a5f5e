package org.funshare.nexmark;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * One Kafka topic per entity; the record's timestamp is its event time, its key the join key as text.
 *
 * <p>One idempotent producer, so each partition holds its events in order and once.
 */
final class KafkaSink implements EventSink {
    private static final int MAX_BLOCK_MS = 30_000;

    private final KafkaProducer<byte[], byte[]> producer;
    private final String[] topics;
    private final int partitions;
    private final String bootstrapServers;
    private final AtomicReference<Exception> failure = new AtomicReference<>();
    private final Callback onDone = (metadata, error) -> {
        if (error != null) {
            failure.compareAndSet(null, error);
        }
    };

    KafkaSink(Settings.Delivery delivery, List<String> names) {
        this.bootstrapServers = delivery.bootstrapServers();
        this.partitions = delivery.partitions();
        this.topics = names.stream().map(name -> delivery.topicPrefix() + name).toArray(String[]::new);
        this.producer = new KafkaProducer<>(config(delivery), new ByteArraySerializer(), new ByteArraySerializer());
        for (String topic : topics) {
            requirePartitions(topic);
        }
    }

    @Override
    public void send(Event event) {
        byte[] key = Long.toString(event.key()).getBytes(StandardCharsets.US_ASCII);
        producer.send(
                new ProducerRecord<>(
                        topics[event.topic()], event.partition(partitions), event.timestampMs(), key, event.value()),
                onDone);
        throwFailure();
    }

    @Override
    public String report() {
        return "";
    }

    @Override
    public void close() {
        producer.flush();
        producer.close();
        throwFailure();
    }

    private void throwFailure() {
        Exception error = failure.get();
        if (error != null) {
            throw new KafkaException("the broker at " + bootstrapServers + " did not take a record: "
                    + error.getMessage() + "; check that it runs and has space", error);
        }
    }

    private void requirePartitions(String topic) {
        int found = producer.partitionsFor(topic).size();
        if (found != partitions) {
            producer.close();
            throw new SettingException("topic '" + topic + "' has " + found + " partitions, --partitions says " + partitions
                    + "; give the topic's number or delete the topic");
        }
    }

    private static Map<String, Object> config(Settings.Delivery delivery) {
        Settings.Producer producer = delivery.producer();
        return Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, delivery.bootstrapServers(),
                ProducerConfig.ACKS_CONFIG, producer.acks(),
                ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, producer.acks().equals("all"),
                ProducerConfig.COMPRESSION_TYPE_CONFIG, producer.compression(),
                ProducerConfig.LINGER_MS_CONFIG, producer.lingerMs(),
                ProducerConfig.BATCH_SIZE_CONFIG, producer.batchBytes(),
                ProducerConfig.BUFFER_MEMORY_CONFIG, 64L << 20,
                ProducerConfig.MAX_REQUEST_SIZE_CONFIG, 4 << 20,
                ProducerConfig.MAX_BLOCK_MS_CONFIG, MAX_BLOCK_MS);
    }
}
