import { writeFileAtomically } from '../../machine/files.ts';
import { type CertificateFiles, ensureCertificates } from '../home/certificates.ts';
import type { Home } from '../home/home.ts';
import { type InnerPort, innerPorts } from '../home/home-record.ts';
import { readPasswords } from '../home/passwords.ts';
import type { Part } from '../supervisor/part.ts';
import { Refusal } from '../supervisor/refusal.ts';
import { temporalVersion } from '../supervisor/versions.ts';
import { temporalServes } from './grpc-health.ts';
import type { TemporalBinaries } from './temporal-binary.ts';
import { temporalConfig, temporalDynamicConfig } from './temporal-config.ts';
import { prepareTemporalDatabases } from './temporal-schema.ts';

/** The embedded Temporal on the embedded PostgreSQL: on 127.0.0.1 only, for those who show our certificate. */
export function temporalPart(home: Home, binaries: Promise<TemporalBinaries>): Part {
  const configPath = home.file('temporal', 'config.yaml');
  let made: { server: string; certificates: CertificateFiles } | undefined;
  return {
    name: 'temporal',
    title: `Temporal ${temporalVersion}`,
    prepare: async () => {
      const found = await binaries;
      const certificates = await ensureCertificates(home);
      const dynamicConfigPath = home.file('temporal', 'dynamic.yaml');
      const { temporal: password } = readPasswords(home);
      writeFileAtomically(dynamicConfigPath, temporalDynamicConfig());
      writeFileAtomically(
        configPath,
        temporalConfig({ ports: allPorts(home), password, certificates, dynamicConfigPath }),
      );
      await prepareTemporalDatabases(home, found);
      made = { server: found.server, certificates };
    },
    command: () => ({
      file: made?.server ?? '',
      args: ['--config-file', configPath, '--allow-no-auth', 'start'],
      env: { PATH: process.env.PATH, TZ: 'UTC' },
      cwd: home.file('temporal', '.'),
    }),
    ready: async () => made !== undefined && temporalServes(allPorts(home).temporal, made.certificates),
    stopSignal: 'SIGTERM',
    hurrySignal: 'SIGTERM',
  };
}

function allPorts(home: Home): Record<InnerPort, number> {
  const { ports } = home.record;
  const missing = innerPorts.find((name) => ports[name] === undefined);
  if (missing !== undefined)
    throw new Refusal(`${home.path} has no port for ${missing} yet; run \`./ballast up\` first.`);
  return ports as Record<InnerPort, number>;
}
