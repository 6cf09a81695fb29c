import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { slugOf } from '../../../domain/slug.ts';
import { Button } from '../../components/forms/button.tsx';
import { Form, TextField } from '../../components/forms/form.tsx';
import { RadioField } from '../../components/forms/radios.tsx';
import { Notice } from '../../components/notice.tsx';
import { useMembership } from '../../control-plane/session.ts';
import { useNewProject } from './use-new-project.ts';

const sources = [
  {
    value: 'registry',
    label: 'An image of a registry',
    hint: 'Public, or one that the organization has a credential for.',
  },
  { value: 'git', label: 'A repository', hint: 'Its code is built on the cluster, with or without a Dockerfile.' },
  {
    value: 'folder',
    label: 'A folder of yours',
    hint: 'Uploaded and built by the command line: the next step shows the lines.',
  },
  {
    value: 'push',
    label: 'An image that you push here',
    hint: 'Ballast is a registry: the next step shows the lines.',
  },
] as const;

const places = [
  { value: 'staging', label: 'Staging' },
  { value: 'production', label: 'Production', hint: 'Changes there wait for an approval.' },
] as const;

/** What a new project needs to run: a name, and an image or the code of one. */
export function NewProjectForm() {
  const { slug: organization } = useMembership();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [from, setFrom] = useState<(typeof sources)[number]['value']>('registry');
  const [image, setImage] = useState('');
  const [gitUrl, setGitUrl] = useState('');
  const [port, setPort] = useState('8080');
  const [place, setPlace] = useState<(typeof places)[number]['value']>('staging');
  const { begin, sending, problem, made } = useNewProject(
    ({ project, environment }, deployment) =>
      void navigate({
        to: '/$organization/new-project',
        params: { organization },
        search: {
          ...{ project, environment },
          ...(from === 'registry' ? {} : { from }),
          ...(deployment === undefined ? {} : { deployment }),
        },
        ignoreBlocker: true,
      }),
  );
  const slug = made?.project ?? slugOf(name);
  const source = {
    registry: { kind: 'image', imageRepository: image.trim() },
    push: { kind: 'image', imageRepository: '' },
    git: { kind: 'git', gitUrl: gitUrl.trim() },
    folder: { kind: 'upload' },
  } as const;
  const wish = { name: name.trim(), source: source[from], port: Number(port) };
  return (
    <Form
      problem={problem}
      places={['name', 'source.imageRepository', 'source.gitUrl', 'process.port']}
      onSubmit={() => begin({ ...wish, production: place === 'production' })}
    >
      {made !== undefined && problem !== undefined && (
        <Notice tone="attention">
          The project {made.project} was created, and is used again. Correct what is wrong.
        </Notice>
      )}
      <TextField
        name="name"
        label="Name"
        value={name}
        onChange={setName}
        required
        first
        maxLength={100}
        placeholder="Shop"
        hint={
          slug === '' ? (
            'Its short name follows from it, and never changes.'
          ) : (
            <Short text={`${organization}/${slug}`} />
          )
        }
      />
      <RadioField label="Source" value={from} onChange={setFrom} choices={sources} />
      {from === 'registry' && (
        <TextField
          name="source.imageRepository"
          label="Reference"
          value={image}
          onChange={setImage}
          required
          mono
          placeholder="registry.example.com/shop/web:1.4"
          hint={
            <>
              One of another project here is <code className="text-text">{organization}/project/service:1.4</code>.
            </>
          }
        />
      )}
      {from === 'git' && (
        <TextField
          name="source.gitUrl"
          label="Address"
          value={gitUrl}
          onChange={setGitUrl}
          required
          mono
          placeholder="https://github.com/team/app.git"
          hint="A public one. Private ones take a Git connection: create the project, and add the service in its environment."
        />
      )}
      <TextField
        name="process.port"
        label="Port"
        type="number"
        min={1}
        max={65_535}
        required
        value={port}
        onChange={setPort}
        hint="Where it listens; told to it as PORT."
      />
      <RadioField label="Environment" value={place} onChange={setPlace} choices={places} />
      <div className="flex justify-end">
        <Button type="submit" look="strong" busy={sending}>
          {from === 'push' || from === 'folder' ? 'Create project' : 'Create and deploy'}
        </Button>
      </div>
    </Form>
  );
}

function Short({ text }: { text: string }) {
  return (
    <>
      Its short name is <code className="text-text">{text}</code>, and never changes.
    </>
  );
}
