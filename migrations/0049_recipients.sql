-- What banks and payers see of the owner of a requisite, sealed because some of it is personal: the given and the
-- family name, the form in which payers see it, INN and KPP, the branch's BIC and correspondent account, the purpose. Null
-- where nothing is said: the name that payers see is then made of the holder's, and the bank's own numbers are shown.

alter table requisites add column recipient_sealed text;
