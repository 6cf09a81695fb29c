import { writeFileAtomically } from '../../machine/files.ts';
import { type CertificateFiles, ensureCertificates } from '../home/certificates.ts';
import type { Home } from '../home/home.ts';
import { type TemporalPort, temporalPorts } from '../home/home-record.ts';
import { readPasswords } from '../home/passwords.ts';
import { postgresSocketDirectory } from '../postgres/postgres-address.ts';
import { freePorts } from '../sockets/ports.ts';
import type { Part } from '../supervisor/part.ts';
import { temporalVersion } from '../supervisor/versions.ts';
import { temporalServes } from './grpc-health.ts';
import type { TemporalBinaries } from './temporal-binary.ts';
import { temporalConfig, temporalDynamicConfig } from './temporal-config.ts';
import { prepareTemporalDatabases } from './temporal-schema.ts';

/**
 * The embedded Temporal on the embedded PostgreSQL: on 127.0.0.1 only, for those who show our certificate. `onMoved` is
 * called when it is started again at another port than before, because somebody has taken that one meanwhile.
 */
export function temporalPart(
  home: Home,
  binaries: Promise<TemporalBinaries>,
  onMoved: (from: number, to: number) => void,
): Part {
  const configPath = home.file('temporal', 'config.yaml');
  let made: { server: string; certificates: CertificateFiles; port: number } | undefined;
  return {
    name: 'temporal',
    title: `Temporal ${temporalVersion}`,
    prepare: async () => {
      const found = await binaries;
      const certificates = await ensureCertificates(home);
      const dynamicConfigPath = home.file('temporal', 'dynamic.yaml');
      const { temporal: password } = readPasswords(home);
      const before = home.record.ports.temporal;
      const ports = await ownPorts(home);
      const sockets = postgresSocketDirectory(home);
      writeFileAtomically(dynamicConfigPath, temporalDynamicConfig());
      writeFileAtomically(configPath, temporalConfig({ ports, sockets, password, certificates, dynamicConfigPath }));
      await prepareTemporalDatabases(home, found);
      if (before !== undefined && before !== ports.temporal) onMoved(before, ports.temporal);
      made = { server: found.server, certificates, port: ports.temporal };
    },
    command: () => ({
      file: made?.server ?? '',
      args: ['--config-file', configPath, '--allow-no-auth', 'start'],
      // Collecting twice as often leaves 54 MB instead of 72 (docs/performance.md).
      env: { PATH: process.env.PATH, TZ: 'UTC', GOGC: '50' },
      cwd: home.file('temporal', '.'),
    }),
    ready: async () => made !== undefined && temporalServes(made.port, made.certificates),
    stopSignal: 'SIGTERM',
    hurrySignal: 'SIGTERM',
  };
}

/** Those of before; others in the place of those that somebody has taken while Temporal did not run. */
async function ownPorts(home: Home): Promise<Record<TemporalPort, number>> {
  const { ports } = home.record;
  const others = Object.entries(ports).flatMap(([name, port]) => (isTemporals(name) ? [] : [port]));
  const own = await freePorts(temporalPorts, ports, others);
  home.keep({ ports: { ...ports, ...own } });
  return own;
}

function isTemporals(name: string): boolean {
  return temporalPorts.some((own) => own === name);
}
