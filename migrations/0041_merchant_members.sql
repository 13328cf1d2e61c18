-- Members of a merchant see its data and nothing else.

alter table members add column merchant_id uuid;
alter table members add column merchant_grant text;
alter table members add constraint members_of_merchant foreign key (merchant_id) references merchants not valid;
alter table members drop constraint members_role_known;
alter table members add constraint members_role_known
  check (role in ('owner', 'operator', 'finance', 'support', 'auditor', 'merchant')) not valid;
-- An operator belongs to no merchant, and a member of a merchant is nothing else.
alter table members add constraint members_merchant_with_role
  check ((role = 'merchant') = (merchant_id is not null) and (role = 'merchant') = (merchant_grant is not null)) not valid;
alter table members add constraint members_merchant_grant_known check (merchant_grant in ('read', 'write')) not valid;

alter table member_invitations add column merchant_id uuid;
alter table member_invitations add column merchant_grant text;
alter table member_invitations add constraint member_invitations_of_merchant
  foreign key (merchant_id) references merchants not valid;
alter table member_invitations drop constraint member_invitations_role_known;
alter table member_invitations add constraint member_invitations_role_known
  check (role in ('owner', 'operator', 'finance', 'support', 'auditor', 'merchant')) not valid;
alter table member_invitations add constraint member_invitations_merchant_with_role
  check ((role = 'merchant') = (merchant_id is not null) and (role = 'merchant') = (merchant_grant is not null)) not valid;
alter table member_invitations add constraint member_invitations_merchant_grant_known
  check (merchant_grant in ('read', 'write')) not valid;
