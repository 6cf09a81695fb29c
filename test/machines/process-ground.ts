import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Driver } from '../../agent/drivers/driver.ts';
import type { Ground } from '../../agent/drivers/driver-bench.ts';
import { processDriver } from '../../agent/drivers/process/process-driver.ts';
import { ImageStore } from '../../agent/images/image-store.ts';
import { sampleLayout } from '../images/sample-image.ts';
import { patient } from '../run/patience.ts';

/** A home for processes, with nothing left of it when it is closed. */
export async function processGround(): Promise<Ground & { home: string }> {
  const home = mkdtempSync(join(tmpdir(), 'ballast-agent-'));
  const log = { info: () => {}, warn: (message: string) => console.warn(message) };
  const drivers: Driver[] = [];
  const store = new ImageStore(join(home, 'images'), { limitBytes: 1e9, maxImageBytes: 1e9 });
  let images = 0;
  return {
    home,
    async driver() {
      const driver = await processDriver({ home, log });
      drivers.push(driver);
      return driver;
    },
    async image(options = {}) {
      images += 1;
      const { layout, digest } = await sampleLayout(join(home, 'layouts', String(images)), options);
      return await store.ready({ layout, digest }, AbortSignal.timeout(patient(60_000)));
    },
    async close() {
      const [driver] = drivers;
      for (const { id } of (await driver?.list()) ?? []) await driver?.remove(id);
      rmSync(home, { recursive: true });
    },
  };
}
