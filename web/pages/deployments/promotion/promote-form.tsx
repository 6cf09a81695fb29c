import { useState } from 'react';
import { SubmitOrCancel } from '../../../components/dialogs/dialog.tsx';
import { AcceptDowntime } from '../../../components/forms/accept.tsx';
import { Form, SelectField, TextField } from '../../../components/forms/form.tsx';
import { Fact, Facts } from '../../../components/page.tsx';
import { useOperation } from '../../../control-plane/operation.ts';
import type { Answers } from '../../../control-plane/session.ts';
import { HeldFirst } from '../../approvals/held/held-first.tsx';
import { counted } from '../../instances/counted.ts';
import { sizeText } from '../../services/processes/volume-size.ts';
import { begun, type DeploymentTools } from '../deployment-actions.tsx';

/** The release that is promoted, and where it serves. */
export interface Promotion {
  serviceId: string;
  serviceName: string;
  releaseId: string;
  releaseNumber: number;
  environmentName: string;
}

export interface PromotionTarget {
  id: string;
  name: string;
}

export type PromotionPreview = Answers['deployments']['previewPromotion'];
type Coming = PromotionPreview['variables'][number];
type Way = 'value' | 'generate' | 'copy' | 'without';

/** The variables whose value a person has to say. */
export function lackingOf({ variables }: PromotionPreview): Coming[] {
  return variables.filter(({ from, problem }) => from === 'nowhere' || problem !== '');
}

interface PromoteFormProps {
  promotion: Promotion;
  to: PromotionTarget;
  preview: PromotionPreview;
  tools: DeploymentTools;
  onClose: () => void;
}

/** Promotes a release to an environment that lacks the service, or variables of it: all that it needs there in one form. */
export function PromoteForm({ promotion, to, preview, tools, onClose }: PromoteFormProps) {
  const { serviceId, serviceName, releaseId, environmentName } = promotion;
  const lacking = lackingOf(preview);
  const [ways, setWays] = useState<Readonly<Record<string, Way>>>(() =>
    Object.fromEntries(lacking.map(({ key, proposal }) => [key, proposal === 'generate' ? 'generate' : 'value'])),
  );
  const [values, setValues] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(lacking.map(({ key, value }) => [key, value])),
  );
  const [reason, setReason] = useState('');
  const [downtime, setDowntime] = useState(false);
  const variables = lacking.flatMap(({ key }) => given(key, ways[key] ?? 'value', values[key] ?? ''));
  const without = lacking.some(({ key }) => ways[key] === 'without');
  const promote = useOperation(tools.trpc.deployments.promote, {
    failed: `${serviceName} could not be promoted`,
    succeeded: begun(`Promoting ${serviceName} to ${to.name}`),
    quiet: true,
    touches: tools.touches,
    done: (output) => {
      onClose();
      tools.follow(output);
    },
  });
  const body = {
    ...({ releaseId, toEnvironmentId: to.id, queue: true, source: 'console', variables } as const),
    reason: reason.trim() || undefined,
    missingAccepted: without || undefined,
    downtimeAccepted: downtime || undefined,
  };
  return (
    <Form
      problem={promote.problem}
      places={['reason']}
      onSubmit={() => promote.send({ path: { id: serviceId }, body })}
    >
      <Brought preview={preview} environmentName={environmentName} />
      {lacking.map((one, index) => (
        <Lacking
          key={one.key}
          of={one}
          way={ways[one.key] ?? 'value'}
          value={values[one.key] ?? ''}
          first={index === 0}
          from={environmentName}
          onWay={(way) => setWays({ ...ways, [one.key]: way })}
          onValue={(value) => setValues({ ...values, [one.key]: value })}
        />
      ))}
      {preview.held && (
        <TextField
          name="reason"
          label="Reason"
          hint="For the person who approves."
          value={reason}
          onChange={setReason}
          maxLength={1000}
          first={lacking.length === 0}
        />
      )}
      <HeldFirst of={{ serviceId, environmentId: to.id }} />
      {(downtime || promote.problem?.downtime === true) && <AcceptDowntime checked={downtime} onChange={setDowntime} />}
      <SubmitOrCancel onCancel={onClose} busy={promote.sending}>
        {preview.held ? 'Request approval' : preview.adds ? 'Add and deploy' : 'Promote'}
      </SubmitOrCancel>
    </Form>
  );
}

function given(key: string, way: Way, value: string) {
  if (way === 'without') return [];
  return [way === 'value' ? { key, value } : way === 'generate' ? { key, generate: true } : { key, copy: true }];
}

/** The settings and values that come along. */
function Brought({ preview, environmentName }: { preview: PromotionPreview; environmentName: string }) {
  const { processes, variables, releaseNumber, adds, staged } = preview;
  if (!adds) return null;
  const copied = variables.filter(({ from, problem }) => from === 'copied' && problem === '');
  return (
    <Facts>
      <Fact label="Image">
        Release {releaseNumber} of {environmentName}, to the byte
      </Fact>
      {processes.map(({ name, kind, port, replicas, volumes }) => (
        <Fact key={name} label={`Process ${name}`}>
          {[kind, ...(port === undefined ? [] : [`port ${port}`]), counted(replicas, 'instance')].join(', ')}
          {volumes.map(({ name: volume, mountPath, sizeBytes }) => (
            <span key={volume} className="block">
              Volume {volume}, {sizeText(sizeBytes)} at {mountPath}; it begins empty
            </span>
          ))}
        </Fact>
      ))}
      {copied.length > 0 && (
        <Fact label="Variables">
          {copied.map(({ key, value }) => (
            <code key={key} className="block break-all text-xs">
              {key}={value}
            </code>
          ))}
        </Fact>
      )}
      {staged > 0 && <Fact label="Staged there">{counted(staged, 'change')}, which go along</Fact>}
    </Facts>
  );
}

interface LackingProps {
  of: Coming;
  way: Way;
  value: string;
  first: boolean;
  /** The environment that has it. */
  from: string;
  onWay: (way: Way) => void;
  onValue: (value: string) => void;
}

function Lacking({ of: { key, secret, copyable, problem }, way, value, first, from, onWay, onValue }: LackingProps) {
  const choices: { value: Way; label: string }[] = [
    { value: 'value', label: 'This value' },
    ...(secret ? [{ value: 'generate' as const, label: 'A random value' }] : []),
    ...(copyable && problem === '' ? [{ value: 'copy' as const, label: `The value of ${from}` }] : []),
    { value: 'without', label: 'Go without it' },
  ];
  return (
    <div className="grid gap-x-2 gap-y-1.5 sm:grid-cols-[11rem_minmax(0,1fr)]">
      <SelectField
        name={`${key}.way`}
        label={key}
        value={way}
        onChange={(chosen) => onWay(chosen as Way)}
        choices={choices}
        first={first && way !== 'value'}
      />
      {way === 'value' && (
        <div className="flex flex-col justify-end">
          <TextField
            name={key}
            label={`Value of ${key}`}
            bare
            value={value}
            onChange={onValue}
            required
            mono
            first={first}
            type={secret ? 'password' : undefined}
          />
        </div>
      )}
      {problem !== '' && <p className="text-pretty text-soft text-xs sm:col-span-2">{problem}.</p>}
    </div>
  );
}
