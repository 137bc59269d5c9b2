package org.sparkrdma.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.sparkrdma.verbs.RdmaUnavailableException.Reason;
import org.sparkrdma.verbs.ffi.ibv_device;
import org.sparkrdma.verbs.ffi.rdma_verbs_h;

/** The RDMA devices of this machine. */
public final class Devices {
  private Devices() {}

  /**
   * Lists the devices; opens none. The list may be empty.
   *
   * @throws RdmaUnavailableException if a library is missing or does not fit, or the kernel has no
   *     RDMA
   */
  public static List<DeviceInfo> list() {
    RdmaLibrary.require();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment count = arena.allocate(ValueLayout.JAVA_INT);
      MemorySegment list = deviceList(count);
      try {
        List<DeviceInfo> found = new ArrayList<>();
        for (int i = 0; i < count.get(ValueLayout.JAVA_INT, 0); i++) {
          found.add(describe(list.getAtIndex(rdma_verbs_h.C_POINTER, i)));
        }
        return List.copyOf(found);
      } finally {
        rdma_verbs_h.ibv_free_device_list(list);
      }
    }
  }

  static DeviceInfo describe(MemorySegment device) {
    return new DeviceInfo(
        name(device),
        Long.reverseBytes(rdma_verbs_h.ibv_get_device_guid(device)),
        DeviceInfo.Transport.of(ibv_device.transport_type(device)));
  }

  static String name(MemorySegment device) {
    return rdma_verbs_h.ibv_get_device_name(device).getString(0);
  }

  /**
   * Opens a device by name. The context is the one that librdmacm itself uses for the device, so
   * that connections can be made on it; opening a device twice gives two handles on one context.
   *
   * @throws RdmaUnavailableException as {@link #list}, and NO_DEVICE if none has this name
   */
  public static Device open(String name) {
    List<DeviceInfo> known = list();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment count = arena.allocate(ValueLayout.JAVA_INT);
      MemorySegment contexts = contexts(count, known);
      try {
        for (int i = 0; i < count.get(ValueLayout.JAVA_INT, 0); i++) {
          MemorySegment context = contexts.getAtIndex(rdma_verbs_h.C_POINTER, i);
          if (Device.nameOf(context).equals(name)) {
            return new Device(contexts, context);
          }
        }
      } catch (RuntimeException e) {
        rdma_verbs_h.rdma_free_devices(contexts);
        throw e;
      }
      rdma_verbs_h.rdma_free_devices(contexts);
      throw noDevice("no usable RDMA device is named " + name, known);
    }
  }

  private static MemorySegment deviceList(MemorySegment count) {
    try {
      return IbvCalls.getDeviceList(count);
    } catch (VerbException e) {
      if (e.errno() != Errno.ENOSYS) {
        throw e;
      }
      throw new RdmaUnavailableException(
          Reason.KERNEL_WITHOUT_RDMA,
          "the kernel has no RDMA support, or its modules are not loaded (modprobe ib_uverbs"
              + " rdma_ucm and the device's driver); in a container, /dev/infiniband must be there",
          e);
    }
  }

  private static MemorySegment contexts(MemorySegment count, List<DeviceInfo> known) {
    try {
      return CmCalls.getDevices(count);
    } catch (VerbException e) {
      throw noDevice("librdmacm can't use any RDMA device (" + e.getMessage() + ")", known);
    }
  }

  static RdmaUnavailableException noDevice(String what, List<DeviceInfo> known) {
    return new RdmaUnavailableException(
        Reason.NO_DEVICE,
        what
            + "; devices here: "
            + known.stream().map(DeviceInfo::name).toList()
            + ". See `rdma link`, that the device's driver and the module rdma_ucm are loaded,"
            + " and that /dev/infiniband/uverbs* and rdma_cm may be opened by this user");
  }
}
