import { useQuery } from '@tanstack/react-query';
import { CopyBlock } from '../../../components/copyable.tsx';
import { SelectField, TextField } from '../../../components/forms/form.tsx';
import type { FieldIn, FieldWords } from '../../../components/forms/operation/fields.ts';
import { RadioField } from '../../../components/forms/radios.tsx';
import { usePlane } from '../../../control-plane/plane.ts';
import { type BuiltIn, RepositoryBranch } from './repository-branch.tsx';
import { RepositoryFields } from './repository-fields.tsx';
import { asKind, deployCommand, type Source } from './source.ts';

interface Where {
  project: string;
  /** Whose images are offered. */
  projectId: string;
  environment: string;
  /** Of a service that is there; otherwise the name that is typed. */
  service?: string;
  /** Where it is built. */
  builtIn: BuiltIn;
}

/** Where the image comes from: a registry, a repository that is built, or folders that are. */
export function sourceField(where: Where): FieldWords<Source, never> {
  return { control: (field) => <SourceField {...(field as unknown as Field)} where={where} /> };
}

type Field = FieldIn<Source, { name?: string }>;

const kinds = [
  { value: 'image', label: 'An image', hint: 'Of a registry, or pushed here.' },
  { value: 'git', label: 'A repository', hint: 'Built on the cluster.' },
  { value: 'upload', label: 'A folder', hint: 'Uploaded from your machine and built on the cluster.' },
] as const;

function SourceField({ value, onChange, values, errors, where }: Field & { where: Where }) {
  const source = value ?? { kind: 'image', imageRepository: '' };
  const { kind } = source;
  return (
    <>
      <RadioField label="Source" value={kind} onChange={(next) => onChange(asKind(next, source))} choices={kinds} />
      {kind === 'image' && (
        <ImageField
          where={where}
          value={source.imageRepository ?? ''}
          onChange={(imageRepository) => onChange({ ...source, kind, imageRepository })}
        />
      )}
      {kind === 'git' && <RepositoryFields source={source} onChange={onChange} />}
      {kind === 'upload' && (
        <div className="flex flex-col gap-1.5 text-sm">
          <p className="text-pretty">
            Run this in the folder. It makes the service if it is missing, uploads the folder, builds it and deploys it.
          </p>
          <CopyBlock label="command" text={deployCommand({ ...where, service: where.service ?? values.name ?? '' })} />
        </div>
      )}
      {kind === 'git' && (
        <RepositoryBranch source={source} environment={where.builtIn}>
          <HowItIsBuilt source={source} onChange={onChange} />
        </RepositoryBranch>
      )}
      {kind === 'upload' && <HowItIsBuilt source={source} onChange={onChange} />}
      {errors.map(([place, message]) => (
        <p key={place} className="text-fault text-sm">
          {place.replace(/^body\.source\.?/, '')} {message}
        </p>
      ))}
    </>
  );
}

/** The project's images in the registry here are offered; any other one is typed. */
function ImageField(props: { where: Where; value: string; onChange: (image: string) => void }) {
  const { where, value, onChange } = props;
  const { trpc } = usePlane();
  const { data } = useQuery(trpc.projects.images.queryOptions({ path: { id: where.projectId } }));
  const suggestions = (data?.items ?? []).map(({ reference, serviceSlug, tag }) =>
    serviceSlug === where.service ? `:${tag}` : reference,
  );
  return (
    <TextField
      name="source"
      label="Image"
      mono
      required
      placeholder="registry.example.com/shop/web:1.4"
      hint="With a tag or a digest. :1.4 alone was pushed to this service here, web:1.4 to the service Web of the project; what nobody pushed here is looked for at Docker Hub, as docker.io/library/web:1.4 always is."
      value={value}
      onChange={onChange}
      suggestions={suggestions}
    />
  );
}

interface Edited {
  source: Source;
  onChange: (source: Source) => void;
}

const builders = [
  { value: 'auto', label: 'By what is found in it' },
  { value: 'dockerfile', label: 'By its Dockerfile' },
];

function HowItIsBuilt({ source, onChange }: Edited) {
  const { builder = 'auto', context = '', dockerfile = '', target = '' } = source;
  return (
    <>
      <TextField
        name="context"
        label="Folder in it"
        mono
        hint="Of one among several applications. Empty: all of it."
        placeholder="apps/web"
        value={context}
        onChange={(next) => onChange({ ...source, context: next })}
      />
      <SelectField
        name="builder"
        label="How it is built"
        value={builder}
        onChange={(next) => onChange({ ...source, builder: next === 'dockerfile' ? 'dockerfile' : 'auto' })}
        choices={builders}
      />
      {builder === 'dockerfile' && (
        <>
          <TextField
            name="dockerfile"
            label="Dockerfile"
            mono
            placeholder="Dockerfile"
            value={dockerfile}
            onChange={(next) => onChange({ ...source, dockerfile: next })}
          />
          <TextField
            name="target"
            label="Target stage"
            mono
            hint="Empty: the last one."
            value={target}
            onChange={(next) => onChange({ ...source, target: next })}
          />
        </>
      )}
    </>
  );
}
