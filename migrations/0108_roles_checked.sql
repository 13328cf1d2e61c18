-- The constraints of 0107, checked for the rows that were there before.
alter table members validate constraint members_role_known;
alter table member_invitations validate constraint member_invitations_role_known;
alter table catalog_versions validate constraint catalog_versions_part_check;
