/** The file system of a machine's data. */
export interface Disk {
  availableBytes: number;
  capacityBytes: number;
}

const gibibyte = 1_024 ** 3;

/** Of a small disk a share has to be free, of a large one so much. It has to become more before all is well again. */
const begins = { share: 0.1, bytes: 10 * gibibyte };
const ends = { share: 0.15, bytes: 15 * gibibyte };

/** Whether a disk is so full that unused images and old logs are deleted early; `before`: whether it was. */
export function isUnderPressure({ availableBytes, capacityBytes }: Disk, before: boolean): boolean {
  const { share, bytes } = before ? ends : begins;
  return availableBytes < Math.min(capacityBytes * share, bytes);
}
