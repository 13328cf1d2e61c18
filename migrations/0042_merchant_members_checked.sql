-- The constraints of 0041 hold for all rows; nobody was a member of a merchant before them.

alter table members validate constraint members_of_merchant;
alter table members validate constraint members_role_known;
alter table members validate constraint members_merchant_with_role;
alter table members validate constraint members_merchant_grant_known;
alter table member_invitations validate constraint member_invitations_of_merchant;
alter table member_invitations validate constraint member_invitations_role_known;
alter table member_invitations validate constraint member_invitations_merchant_with_role;
alter table member_invitations validate constraint member_invitations_merchant_grant_known;
