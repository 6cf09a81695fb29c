import { TextField } from '../../components/forms/form.tsx';
import type { FieldWords } from '../../components/forms/operation/fields.ts';
import type { ServiceAnswer } from './use-service.ts';

type Source = ServiceAnswer['source'];

/** Where the image comes from: a reference of any registry, or a tag of the service's own repository. */
export const imageField: FieldWords<Partial<Source> & Pick<Source, 'kind'>, never> = {
  control: ({ value, onChange, errors }) => (
    <>
      <TextField
        name="source"
        label="Image"
        mono
        required
        placeholder="registry.example.com/shop/web:1.4"
        hint="With a tag or a digest. :1.4 alone is one that was pushed to this service here."
        value={value?.imageRepository ?? ''}
        onChange={(imageRepository) => onChange({ ...value, kind: 'image', imageRepository })}
      />
      {errors.map(([place, message]) => (
        <p key={place} className="text-fault text-sm">
          {message}
        </p>
      ))}
    </>
  ),
};

interface Slugs {
  organization: string;
  project: string;
  service: string;
}

/** The image in full: a tag or a digest alone is of the service's own repository. */
export function imageName(reference: string, { organization, project, service }: Slugs): string {
  return /^[:@]/.test(reference) ? `${organization}/${project}/${service}${reference}` : reference;
}
