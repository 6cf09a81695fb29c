import { defineEntity, p } from '@mikro-orm/core';

export const AppUserSchema = defineEntity({
  name: 'AppUser',
  tableName: 'app_user',
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    email: p.text(),
    picture: p.text().nullable(),
    disabledAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
  },
});

export class AppUser extends AppUserSchema.class {}
AppUserSchema.setClass(AppUser);
