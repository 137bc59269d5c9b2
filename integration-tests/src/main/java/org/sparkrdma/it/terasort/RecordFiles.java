package org.sparkrdma.it.terasort;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.NoSuchElementException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * A folder with a file of records for each partition, on any file system that Hadoop knows.
 *
 * @param folder its URI; tasks on all executors must reach it
 */
public record RecordFiles(String folder) implements Serializable {

  private static final int BUFFER_BYTES = 1 << 20;

  /** Making one parses Hadoop's defaults: once for each process, not for each task. */
  private static final Configuration CONFIGURATION = new Configuration();

  private Path file(int partition) {
    return new Path(new Path(folder), String.format(Locale.ROOT, "part-%05d", partition));
  }

  private FileSystem fileSystem() throws IOException {
    FileSystem files = new Path(folder).getFileSystem(CONFIGURATION);
    // The records have checksums of their own.
    files.setWriteChecksum(false);
    files.setVerifyChecksum(false);
    return files;
  }

  /**
   * Writes one partition. It appears whole or not at all, so that a task may be repeated.
   *
   * @param attempt different for each try
   * @return what was written
   */
  public Totals write(int partition, long attempt, Iterator<byte[]> records) throws IOException {
    FileSystem files = fileSystem();
    Path temporary = new Path(new Path(folder), "_attempt-" + attempt);
    Totals totals = Totals.NONE;
    try (OutputStream out = files.create(temporary, true, BUFFER_BYTES)) {
      while (records.hasNext()) {
        byte[] record = records.next();
        totals = totals.plus(record);
        out.write(record);
      }
    }
    files.delete(file(partition), false);
    if (!files.rename(temporary, file(partition))) {
      throw new IOException("can't rename " + temporary + " to " + file(partition));
    }
    return totals;
  }

  /** Reads one partition's records as they are asked for; closes itself at the end. */
  public Iterator<byte[]> read(int partition) throws IOException {
    FileSystem files = fileSystem();
    Path file = file(partition);
    long bytes = files.getFileStatus(file).getLen();
    if (bytes % TeraRecords.LENGTH != 0) {
      throw new IOException(file + " ends within a record: it has " + bytes + " bytes");
    }
    DataInputStream in = files.open(file, BUFFER_BYTES);
    return new Reading(in, bytes / TeraRecords.LENGTH);
  }

  /** The keys of the first records of one partition. */
  public List<byte[]> firstKeys(int partition, int most) throws IOException {
    List<byte[]> keys = new ArrayList<>();
    try (DataInputStream in = fileSystem().open(file(partition))) {
      byte[] record = new byte[TeraRecords.LENGTH];
      while (keys.size() < most && in.readNBytes(record, 0, record.length) == record.length) {
        keys.add(TeraRecords.key(record));
      }
    }
    return keys;
  }

  /** Removes the folder and all in it, if it's there. */
  public void delete() throws IOException {
    fileSystem().delete(new Path(folder), true);
  }

  private static final class Reading implements Iterator<byte[]> {
    private final DataInputStream in;
    private long left;

    Reading(DataInputStream in, long left) throws IOException {
      this.in = in;
      this.left = left;
      closeAtEnd();
    }

    @Override
    public boolean hasNext() {
      return left > 0;
    }

    @Override
    public byte[] next() {
      if (left == 0) {
        throw new NoSuchElementException();
      }
      byte[] record = new byte[TeraRecords.LENGTH];
      try {
        in.readFully(record);
        left--;
        closeAtEnd();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return record;
    }

    private void closeAtEnd() throws IOException {
      if (left == 0) {
        in.close();
      }
    }
  }
}
