import { address, oneOf, path, type Setting, setting, text, wholeNumber, yesOrNo } from '../setting.ts';

/** The cluster on this machine, and where its applications are reached. */
export const localClusterSettings = {
  LOCAL_CLUSTER: setting('Whether `ballast up` runs a cluster on this machine, with its agent.', yesOrNo, true),
  LOCAL_DRIVER: setting(
    'Driver of instances on this machine; auto selects Docker if its engine responds.',
    oneOf('auto', 'process', 'docker'),
    'auto',
  ),
  LOCAL_DOCKER_SOCKET: setting(
    "The Docker engine's socket, for the cluster on this machine.",
    path,
    '/var/run/docker.sock',
    {
      example: '/run/user/1000/docker.sock',
    },
  ),
  LOCAL_BUILD_MEMORY_MIB: setting(
    'Most memory of a build on this machine, in MiB; 0: half of the machine.',
    wholeNumber(0, 16_777_216),
    0,
    { example: '8192' },
  ),
  INGRESS_PORT: setting(
    'Port at which the local cluster serves applications; 0 picks a free one.',
    wholeNumber(0, 65_535),
    8089,
    { example: '8089' },
  ),
  INGRESS_LISTEN: setting('Address that INGRESS_PORT listens on.', address, '127.0.0.1'),
  INGRESS_DOMAIN: setting('Parent domain of the host names of applications.', text, 'localhost', {
    example: 'apps.example.com',
  }),
} as const satisfies Record<string, Setting<unknown>>;
