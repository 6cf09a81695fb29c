import { availableParallelism, hostname, networkInterfaces, totalmem } from 'node:os';
import type { Facts } from '../../protocol/agent.ts';
import type { Driver } from '../drivers/driver.ts';

/** The machine, as the control plane sees it. */
export async function machineFacts(
  driver: Driver,
  ofBuilds: Pick<Facts['holds'], 'builds' | 'buildLimits'>,
  ingress?: { port: number; listen: string },
  mostOfBuilds?: Facts['buildLimits'],
): Promise<Facts> {
  const { runtimeVersion, holds } = await driver.facts();
  const libc = libcName();
  return {
    driver: driver.name,
    runtimeVersion,
    holds: { ...holds, ...ofBuilds },
    releaseCommand: true,
    files: true,
    ...(mostOfBuilds === undefined ? {} : { buildLimits: mostOfBuilds }),
    platform: { os: process.platform, arch: process.arch, ...(libc === undefined ? {} : { libc }) },
    nodes: [
      {
        name: hostname(),
        ready: true,
        server: true,
        cpuMilli: availableParallelism() * 1000,
        memoryBytes: totalmem(),
      },
    ],
    ...(ingress === undefined ? {} : { ingress: { port: ingress.port, addresses: addressesOf(ingress.listen) } }),
  };
}

function addressesOf(listen: string): string[] {
  if (listen !== '0.0.0.0' && listen !== '::') return [listen];
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80:'))
    .map(({ address }) => address)
    .sort();
}

function libcName(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const report: unknown = process.report.getReport();
  if (typeof report !== 'object' || report === null || !('header' in report)) return undefined;
  const { header } = report;
  return typeof header === 'object' && header !== null && 'glibcVersionRuntime' in header ? 'glibc' : 'musl';
}
