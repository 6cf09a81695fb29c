import type { ReactNode } from 'react';
import type { RadioChoice } from '../radios.tsx';

/** An operation as `trpc` names it: `trpc.teams.create`. */
export interface OperationOf<Input, Output> {
  mutationKey(): readonly unknown[];
  '~types': { input: Input; output: Output };
}

/** Fields of the body that an operation takes; none where it takes none. */
export type BodyOf<Input> = 'body' extends keyof Input ? NonNullable<Input['body']> : Record<never, never>;
export type PathOf<Input> = Input extends { path: infer Path } ? Path : undefined;
export type QueryOf<Input> = 'query' extends keyof Input ? Input['query'] : undefined;

/** Values of some fields. */
export type Some<Body> = { [Name in keyof Body]?: Body[Name] | undefined };

/** The form around a field that is drawn by hand. */
export interface FieldIn<Value, Body> {
  value: Value | undefined;
  onChange: (value: Value | undefined) => void;
  values: Some<Body>;
  /** Sets other fields, too. */
  set: (values: Some<Body>) => void;
  /** Faults that the API found in this field, by the place in it: `body.claims.ref`. */
  errors: readonly [place: string, message: string][];
}

/** A page's words about a field; all else is in the schema of the operation. */
export interface FieldWords<Value, Body> {
  /** Without it, from the field's name. */
  label?: string;
  hint?: ReactNode;
  placeholder?: string;
  /** For names of machines and code. */
  mono?: boolean;
  /** Nothing is shown of what is typed. */
  secret?: true;
  /** The options of an enumeration, explained. */
  choices?: [Value] extends [string] ? readonly RadioChoice<Value>[] : never;
  /** A value that somebody else set meanwhile, in words. */
  theirs?: (value: Value) => string;
  /** The value as long as nobody has changed it: a slug that follows the name. */
  follows?: (values: Some<Body>) => Value;
  /** A control of its own, where one value is more than one native control. */
  control?: (field: FieldIn<Value, Body>) => ReactNode;
}

/** Values for which the schema has a control. */
type Native = string | number | boolean;

/** The fields of a form, in the order in which they are shown. Those of other values have a control of their own. */
export type FieldsOf<Body> = {
  [Name in keyof Body]?: FieldWords<NonNullable<Body[Name]>, Body> &
    ([NonNullable<Body[Name]>] extends [Native]
      ? unknown
      : Required<Pick<FieldWords<NonNullable<Body[Name]>, Body>, 'control'>>);
};
