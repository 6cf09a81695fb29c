import { LinesField } from '../../../components/forms/area-field.tsx';
import type { BodyOf, FieldsOf } from '../../../components/forms/operation/fields.ts';
import type { Answers, Inputs } from '../../../control-plane/session.ts';

export type ProcessAnswer = Answers['processes']['list']['items'][number];
type Fields = FieldsOf<BodyOf<Inputs['processes']['change']>>;

const kinds = [
  { value: 'http', label: 'Web', hint: 'Answers HTTP at a port, and has an address.' },
  { value: 'tcp', label: 'TCP', hint: 'Listens at a port; other services reach it.' },
  { value: 'worker', label: 'Worker', hint: 'Listens nowhere.' },
  { value: 'cron', label: 'Cron', hint: 'Runs when its schedule says so, and ends.' },
] as const;

const command: Fields = {
  command: {
    control: ({ value, onChange }) => (
      <LinesField
        name="command"
        label="Command"
        hint="One argument a line, in place of the image's entry point. Empty keeps it."
        value={value}
        onChange={onChange}
      />
    ),
  },
  args: {
    control: ({ value, onChange }) => (
      <LinesField name="args" label="Arguments" hint="One a line." value={value} onChange={onChange} rows={2} />
    ),
  },
};

const overlaps = [
  { value: 'skip', label: 'Skip', hint: 'The new run is left out.' },
  { value: 'allow', label: 'Allow', hint: 'Both run.' },
  { value: 'replace', label: 'Replace', hint: 'The one before is ended.' },
] as const;

/** Settings of a process in groups that are changed together, each by a form of its own. */
export const groups: readonly { label: string; of: (process: ProcessAnswer) => boolean; fields: Fields }[] = [
  { label: 'Scale', of: ({ kind }) => kind !== 'cron', fields: { replicas: { label: 'Instances' } } },
  {
    label: 'Change command and port',
    of: () => true,
    fields: {
      kind: { choices: kinds },
      ...command,
      port: { hint: 'Told to it as PORT.' },
      fixedPort: { label: 'Fixed port', hint: 'The program listens on this port whatever PORT says.' },
    },
  },
  {
    label: 'Change resources',
    of: () => true,
    fields: {
      cpuLimitMilli: { label: 'CPU limit', hint: 'In thousandths of a core. Empty: no limit.' },
      memoryLimitBytes: { label: 'Memory limit', hint: 'In bytes. Empty: no limit.' },
      runAsUser: { label: 'User', hint: "The number of the user that it runs as. Empty: the image's own." },
    },
  },
  {
    label: 'Change checks',
    of: ({ kind }) => kind === 'http',
    fields: {
      readinessPath: {
        label: 'Readiness path',
        placeholder: '/ready',
        mono: true,
        hint: 'Requests come once it answers.',
      },
      livenessPath: {
        label: 'Liveness path',
        placeholder: '/live',
        mono: true,
        hint: 'Restarted when it stops answering.',
      },
      startupPath: { label: 'Startup path', placeholder: '/started', mono: true },
    },
  },
  {
    label: 'Change the schedule',
    of: ({ kind }) => kind === 'cron',
    fields: {
      schedule: { hint: 'Five fields, such as 0 3 * * *.', mono: true },
      timeZone: { label: 'Time zone' },
      overlap: { label: 'If the run before has not ended', choices: overlaps },
    },
  },
  {
    label: 'Change times',
    of: ({ kind }) => kind !== 'cron',
    fields: {
      stabilizationSeconds: { label: 'Time to stay healthy', hint: 'In seconds, before a new release takes over.' },
      drainSeconds: { label: 'Time to drain', hint: 'In seconds, to finish what it is doing.' },
    },
  },
];

export const kindWord: Record<ProcessAnswer['kind'], string> = {
  http: 'Web',
  tcp: 'TCP',
  worker: 'Worker',
  cron: 'Cron',
};
