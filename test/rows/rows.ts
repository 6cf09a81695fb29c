import type { Expression, Insertable, Kysely, Selectable, Updateable } from 'kysely';

/** Columns by which rows are found; one of several values, or null. */
type Found<Row> = { readonly [Column in keyof Row]?: Row[Column] | readonly Row[Column][] };

/** Values, or what the database is to make of them. */
type Given<Row> = { [Column in keyof Row]: Row[Column] | Expression<unknown> };

type AnyTables = Record<string, Record<string, unknown>>;

/** Rows as tests read and write them, by the values of columns; `kysely` says whose they are. */
export class Rows<Tables> {
  readonly #kysely: Kysely<AnyTables>;

  constructor(kysely: object) {
    this.#kysely = kysely as Kysely<AnyTables>;
  }

  /** All of them, in the order of a column if one is named. */
  async all<Table extends keyof Tables & string>(
    table: Table,
    found: Found<Selectable<Tables[Table]>> = {},
    order?: keyof Selectable<Tables[Table]> & string,
  ): Promise<Selectable<Tables[Table]>[]> {
    let query = this.#kysely.selectFrom(table as string).selectAll();
    for (const [column, operator, value] of conditions(found)) query = query.where(column, operator, value);
    if (order !== undefined) query = query.orderBy(order);
    return (await query.execute()) as Selectable<Tables[Table]>[];
  }

  async find<Table extends keyof Tables & string>(
    table: Table,
    found: Found<Selectable<Tables[Table]>>,
  ): Promise<Selectable<Tables[Table]> | undefined> {
    return (await this.all(table, found))[0];
  }

  /** The one row that is there. */
  async one<Table extends keyof Tables & string>(
    table: Table,
    found: Found<Selectable<Tables[Table]>> = {},
  ): Promise<Selectable<Tables[Table]>> {
    const row = await this.find(table, found);
    if (row === undefined) throw new Error(`No row of ${table} is found by ${JSON.stringify(found)}.`);
    return row;
  }

  async add<Table extends keyof Tables & string>(
    table: Table,
    ...rows: readonly Given<Insertable<Tables[Table]>>[]
  ): Promise<void> {
    await this.#kysely
      .insertInto(table as string)
      .values(rows as unknown as Record<string, unknown>[])
      .execute();
  }

  async set<Table extends keyof Tables & string>(
    table: Table,
    found: Found<Selectable<Tables[Table]>>,
    values: Given<Updateable<Tables[Table]>>,
  ): Promise<void> {
    let query = this.#kysely.updateTable(table as string).set(values as Record<string, unknown>);
    for (const [column, operator, value] of conditions(found)) query = query.where(column, operator, value);
    await query.execute();
  }

  async remove<Table extends keyof Tables & string>(
    table: Table,
    found: Found<Selectable<Tables[Table]>>,
  ): Promise<void> {
    let query = this.#kysely.deleteFrom(table as string);
    for (const [column, operator, value] of conditions(found)) query = query.where(column, operator, value);
    await query.execute();
  }
}

function conditions(found: object): [string, 'in' | 'is' | '=', unknown][] {
  return Object.entries(found).map(([column, value]) => [
    column,
    Array.isArray(value) ? 'in' : value === null ? 'is' : '=',
    value,
  ]);
}
