import type { QueryKey } from '@tanstack/react-query';
import { getUntypedClient } from '@trpc/client';
import { Fragment, type ReactNode, useEffect, useState } from 'react';
import { useBody } from '../../../control-plane/bodies.ts';
import type { Body } from '../../../control-plane/body.ts';
import { type Sent, useChange } from '../../../control-plane/change.ts';
import { usePlane } from '../../../control-plane/plane.ts';
import { SubmitOrCancel } from '../../dialogs/dialog.tsx';
import { Form } from '../form.tsx';
import type { BodyOf, FieldsOf, FieldWords, OperationOf, PathOf, Some } from './fields.ts';
import { SchemaField } from './schema-field.tsx';
import { bodyOf, errorsAt, isRequired, isSame, startOf, type Values } from './values.ts';

export interface OperationFormProps<Input, Output> {
  operation: OperationOf<Input, Output>;
  /** What the operation is about, if its address names something. */
  path?: PathOf<Input>;
  /** Fields in the order in which they are shown. */
  fields: FieldsOf<BodyOf<Input>>;
  /** Values of a new thing to begin with. */
  start?: Some<BodyOf<Input>>;
  /** The thing as it is: only changes are sent. */
  current?: Some<BodyOf<Input>>;
  submit: string;
  /** Announced to screen readers. */
  succeeded: string | ((output: Output) => string);
  done?: (output: Output) => void;
  onCancel?: () => void;
  /** Queries to refetch besides those of the operation's group. */
  touches?: readonly QueryKey[];
  /** Told whenever the form begins or ceases to hold something that is not saved. */
  onDirty?: (dirty: boolean) => void;
  /** Text between the fields and the buttons. */
  children?: ReactNode;
}

/** The name of an operation as the API knows it: `teams.create`. */
export function nameOf(operation: { mutationKey(): readonly unknown[] }): string {
  return (operation.mutationKey()[0] as string[]).join('.');
}

/** A form made from what its operation takes. Rendered once the schema is there. */
export function OperationForm<Input, Output>(props: OperationFormProps<Input, Output>) {
  const name = nameOf(props.operation);
  const body = useBody(name);
  return body !== undefined && <Filled {...(props as unknown as Untyped)} name={name} body={body} />;
}

type Words = FieldWords<unknown, Values>;
type Untyped = Omit<OperationFormProps<unknown, unknown>, 'fields' | 'start' | 'current'> & {
  fields: Readonly<Record<string, Words>>;
  start?: Values;
  current?: Values;
};

function Filled({ name, body, fields, start = {}, current, ...form }: Untyped & { name: string; body: Body }) {
  const { client } = usePlane();
  const names = Object.keys(fields);
  const [begun] = useState(() => startOf(names, body, current ?? start));
  const [own, setOwn] = useState<Values>({});
  const values = withFollowers({ ...begun, ...own }, own, fields);
  const set = (some: Values) => setOwn((before) => ({ ...before, ...some }));
  const { path, onDirty, onCancel, touches = [] } = form;
  const change = useChange(
    (sent: Values, context: Sent) =>
      getUntypedClient(client).mutation(name, { ...(path === undefined ? {} : { path }), body: sent }, context),
    {
      failed: `${form.submit}: failed`,
      quiet: true,
      ...(body.secret ? { secret: true } : {}),
      succeeded: (output) => (typeof form.succeeded === 'string' ? form.succeeded : form.succeeded(output)),
      done: (output) => form.done?.(output),
      touches: () => [[[name.split('.')[0]]], ...touches],
    },
  );
  const dirty = !isSame(bodyOf(values, body, current), bodyOf(begun, body, current));
  useEffect(() => onDirty?.(dirty), [dirty, onDirty]);
  const submit = () => {
    const sent = bodyOf(values, body, current);
    if (current !== undefined && Object.keys(sent).length === 0) onCancel?.();
    else change.send(sent);
  };
  const { problem } = change;
  const places = names.flatMap((field) => [field, ...errorsAt(field, problem?.fields ?? {}).map(([place]) => place)]);
  const first = names.find((field) => fields[field]?.control === undefined && body.fields[field]?.enum === undefined);
  return (
    <Form problem={problem} places={places.map((place) => place.replace(/^body\./, ''))} onSubmit={submit}>
      {names.map((field) => {
        const words = fields[field] ?? {};
        const rule = body.fields[field];
        if (rule === undefined) throw new Error(`The body of ${name} has no field ${field}.`);
        const shared = { value: values[field], onChange: (value: unknown) => set({ [field]: value }) };
        if (words.control !== undefined) {
          const errors = errorsAt(field, problem?.fields ?? {});
          return <Fragment key={field}>{words.control({ ...shared, values, set, errors })}</Fragment>;
        }
        const required = isRequired(rule, current !== undefined);
        return (
          <SchemaField
            key={field}
            {...shared}
            name={field}
            rule={rule}
            words={words as Omit<FieldWords<string, never>, 'control' | 'follows'>}
            required={required}
            first={field === first}
          />
        );
      })}
      {form.children}
      <SubmitOrCancel {...(onCancel === undefined ? {} : { onCancel })} busy={change.sending}>
        {form.submit}
      </SubmitOrCancel>
    </Form>
  );
}

/** Fields that follow others, as long as nobody has changed them. */
function withFollowers(values: Values, own: Values, fields: Readonly<Record<string, Words>>): Values {
  const followers = Object.entries(fields).filter(([field, { follows }]) => follows !== undefined && !(field in own));
  return { ...values, ...Object.fromEntries(followers.map(([field, { follows }]) => [field, follows?.(values)])) };
}
