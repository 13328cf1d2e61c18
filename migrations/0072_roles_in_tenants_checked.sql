-- The constraints of 0071 hold for all rows: they allow more than the ones before.

alter table members validate constraint members_role_known;
alter table member_invitations validate constraint member_invitations_role_known;
