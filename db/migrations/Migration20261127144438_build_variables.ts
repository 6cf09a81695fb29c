import { Migration } from '@mikro-orm/migrations';

/** As they were when this migration was written: `domain/variables/build-time.ts`. */
const publicName = '^(NEXT_PUBLIC_|VITE_|NUXT_PUBLIC_|REACT_APP_|VUE_APP_|PUBLIC_|GATSBY_|EXPO_PUBLIC_|STORYBOOK_).';

export class Migration20261127144438_build_variables extends Migration {
  override name = 'Migration20261127144438_build_variables';

  override up(): void | Promise<void> {
    this.addSql(
      `alter table "build" add "connected" boolean not null default false, add "approved_by_id" text null, add "approved_by_name" text null, add "variables_digest" text null;`,
    );

    this.addSql(`alter table "change_set_item" add "build_time" text null, add "from_build_time" text null;`);
    this.addSql(
      `alter table "change_set_item" add constraint "change_set_item_build_time_check" check ("build_time" in ('no', 'also', 'only'));`,
    );
    this.addSql(
      `alter table "change_set_item" add constraint "change_set_item_from_build_time_check" check ("from_build_time" in ('no', 'also', 'only'));`,
    );

    this.addSql(`alter table "shared_variable" add "build_time" text null;`);
    this.addSql(
      `alter table "shared_variable" add constraint "shared_variable_build_time_check" check ("build_time" in ('no', 'also', 'only'));`,
    );

    this.addSql(`alter table "variable" add "build_time" text null;`);
    this.addSql(
      `alter table "variable" add constraint "variable_build_time_check" check ("build_time" in ('no', 'also', 'only'));`,
    );

    // Plain variables of such names are in pages already. One with references may lead to a secret: its owner says what it is for.
    for (const table of ['variable', 'shared_variable'])
      this.addSql(
        `update "${table}" set build_time = 'also' where sealed is null and refers is null and key ~ '${publicName}';`,
      );
    this.addSql(
      `update "change_set_item" set build_time = 'also', from_build_time = case when from_value <> '' then 'also' end
       where kind in ('variable.set', 'variable.unset') and not secret and refers is null and key ~ '${publicName}';`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(
      `alter table "build" drop column "connected", drop column "approved_by_id", drop column "approved_by_name", drop column "variables_digest";`,
    );

    this.addSql(`alter table "change_set_item" drop constraint "change_set_item_build_time_check";`);
    this.addSql(`alter table "change_set_item" drop constraint "change_set_item_from_build_time_check";`);
    this.addSql(`alter table "change_set_item" drop column "build_time", drop column "from_build_time";`);

    this.addSql(`alter table "shared_variable" drop constraint "shared_variable_build_time_check";`);
    this.addSql(`alter table "shared_variable" drop column "build_time";`);

    this.addSql(`alter table "variable" drop constraint "variable_build_time_check";`);
    this.addSql(`alter table "variable" drop column "build_time";`);
  }
}
