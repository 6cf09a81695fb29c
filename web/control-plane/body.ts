/** The API's rule for one field of a body. */
export interface FieldRule {
  type?: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object';
  required?: true;
  /** Null takes it away. */
  nullable?: true;
  enum?: readonly string[];
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  /** Names the fault of a text that does not match the pattern. */
  wrong?: string;
}

export interface Body {
  fields: Record<string, FieldRule>;
  /** The answer carries a secret, which is not given again. */
  secret?: true;
}

/** By the name of the operation, as in `teams.create`. */
export type Bodies = Record<string, Body>;
