BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('first');
CREATE TABLE events (
	table_id VARCHAR(10) NOT NULL, 
	number INTEGER NOT NULL, 
	wall DOUBLE NOT NULL, 
	open DOUBLE NOT NULL, 
	body TEXT NOT NULL, 
	PRIMARY KEY (table_id, number), 
	FOREIGN KEY(table_id) REFERENCES tables (id)
);
INSERT INTO "events" VALUES('m3eq23qq29',1,1.79479027450484442717e+09,4.08582035999643267132e-01,'{"type":"opened","game":"orochi","options":{"side":2},"seed":1,"start":null,"seats":[{"kind":"link","name":"Anna"},{"kind":"link","name":null}],"clock":{"kind":"none"}}');
INSERT INTO "events" VALUES('m3eq23qq29',2,1.79479027488762760168e+09,7.91363981999893439933e-01,'{"type":"sat","seat":0}');
INSERT INTO "events" VALUES('m3eq23qq29',3,1.79479027491629338267e+09,0.820030068000051,'{"type":"sat","seat":1}');
INSERT INTO "events" VALUES('m3eq23qq29',4,1.79479027491977882391e+09,8.23515336999662395101e-01,'{"type":"named","seat":1,"name":"Bert <b>"}');
INSERT INTO "events" VALUES('m3eq23qq29',5,1.79479027492255973816e+09,0.826296211999761,'{"type":"said","seat":0,"text":"Good luck!"}');
INSERT INTO "events" VALUES('m3eq23qq29',6,1.79479027526462721819e+09,1.16836426800000481307e+00,'{"type":"moved","seat":0,"ply":0,"move":"wb2"}');
INSERT INTO "events" VALUES('m3eq23qq29',7,1.79479027527709245675e+09,1.18082878499990329146e+00,'{"type":"moved","seat":1,"ply":1,"move":"wc1"}');
INSERT INTO "events" VALUES('m3eq23qq29',8,1794790275.28787,1.19160641000007672118e+00,'{"type":"moved","seat":1,"ply":2,"move":"wa2"}');
INSERT INTO "events" VALUES('m3eq23qq29',9,1.79479027529328107829e+09,1.19701757499979066778e+00,'{"type":"moved","seat":0,"ply":3,"move":"bb3"}');
INSERT INTO "events" VALUES('m3eq23qq29',10,1.79479027530395364754e+09,1.20769008399975064094e+00,'{"type":"moved","seat":1,"ply":4,"move":"ba1"}');
INSERT INTO "events" VALUES('m3eq23qq29',11,1.79479027531574439995e+09,1.21948087099963231594e+00,'{"type":"moved","seat":0,"ply":5,"move":"wc2"}');
INSERT INTO "events" VALUES('m3eq23qq29',12,1.79479027532311940194e+09,1.22685572899990802397e+00,'{"type":"said","seat":1,"text":"Thanks"}');
INSERT INTO "events" VALUES('8qayf6zfd4',1,1.79479027534788632396e+09,1.25162332299987610895e+00,'{"type":"opened","game":"oolong","options":{"markers":null,"specials":true,"markers_stay":false},"seed":3,"start":null,"seats":[{"kind":"link","name":null},{"kind":"link","name":null}],"clock":{"kind":"none"}}');
INSERT INTO "events" VALUES('8qayf6zfd4',2,1.79479027535784554482e+09,1.26158196300002600764e+00,'{"type":"sat","seat":0}');
INSERT INTO "events" VALUES('8qayf6zfd4',3,1.79479027536662030222e+09,1.27035692799972821376e+00,'{"type":"sat","seat":1}');
INSERT INTO "events" VALUES('8qayf6zfd4',4,1.79479027539651751514e+09,1.30025450999983149813e+00,'{"type":"moved","seat":0,"ply":0,"move":"C.NE"}');
INSERT INTO "events" VALUES('8qayf6zfd4',5,1.794790275415923357e+09,1.3196598009999433998e+00,'{"type":"moved","seat":1,"ply":1,"move":"NE.NE"}');
INSERT INTO "events" VALUES('8qayf6zfd4',6,1.79479027542384481433e+09,1.32758132999970257515e+00,'{"type":"moved","seat":0,"ply":2,"move":"NE.C"}');
INSERT INTO "events" VALUES('8qayf6zfd4',7,1.79479027613789963719e+09,2.04163657699973555281e+00,'{"type":"offered","seat":0,"offer":"takeback","ply":2}');
INSERT INTO "events" VALUES('8qayf6zfd4',8,1.79479027615824842452e+09,2.06198512699984348728e+00,'{"type":"answered","seat":1,"offer":"takeback","yes":true}');
INSERT INTO "events" VALUES('8qayf6zfd4',9,1.79479027615824842452e+09,2.06198512699984348728e+00,'{"type":"taken_back","ply":2}');
INSERT INTO "events" VALUES('8qayf6zfd4',10,1.79479027616403913501e+09,2.0677756149998458568e+00,'{"type":"offered","seat":0,"offer":"draw","ply":2}');
INSERT INTO "events" VALUES('8qayf6zfd4',11,1.79479027616775107384e+09,2.07148757100003422237e+00,'{"type":"answered","seat":1,"offer":"draw","yes":false}');
INSERT INTO "events" VALUES('8qayf6zfd4',12,1.79479027620728087428e+09,2.11101785499977268045e+00,'{"type":"hinted","seat":0,"ply":2}');
INSERT INTO "events" VALUES('8qayf6zfd4',13,1.79479028017828297616e+09,6.08202054200000929995e+00,'{"type":"ended","result":"Green","how":"resigned","seat":0}');
INSERT INTO "events" VALUES('8qayf6zfd4',14,1.79479028018148303036e+09,6.08521937599971352028e+00,'{"type":"offered","seat":0,"offer":"rematch","ply":2}');
INSERT INTO "events" VALUES('8qayf6zfd4',15,1.79479028018942642214e+09,6.09316301799981374642e+00,'{"type":"answered","seat":1,"offer":"rematch","yes":true}');
INSERT INTO "events" VALUES('8qayf6zfd4',16,1.79479028018942642214e+09,6.09316301799981374642e+00,'{"type":"rematch","table":"y2mag89c3c"}');
INSERT INTO "events" VALUES('y2mag89c3c',1,1.79479028018942642214e+09,6.09316301799981374642e+00,'{"type":"opened","game":"oolong","options":{"markers":null,"specials":true,"markers_stay":false},"seed":6455009084995183,"start":null,"seats":[{"kind":"link","name":null},{"kind":"link","name":null}],"clock":{"kind":"none"}}');
INSERT INTO "events" VALUES('shdktqg9dp',1,1.79479028021292805672e+09,6.11666485399973680614e+00,'{"type":"opened","game":"fillit","options":{"mode":"3","layout":"A","first":"Red"},"seed":5,"start":null,"seats":[{"kind":"here","name":"A"},{"kind":"here","name":"B"},{"kind":"here","name":null}],"clock":{"kind":"none"}}');
INSERT INTO "events" VALUES('shdktqg9dp',2,1.79479028027814531322e+09,6.18188190999990183627e+00,'{"type":"moved","seat":0,"ply":0,"move":"Sc5-d5"}');
INSERT INTO "events" VALUES('shdktqg9dp',3,1.79479028029232740406e+09,6.19606385399993087048e+00,'{"type":"moved","seat":0,"ply":1,"move":"Pa1-e1"}');
INSERT INTO "events" VALUES('shdktqg9dp',4,1.7947902803038988113e+09,6.20763540699999794014e+00,'{"type":"moved","seat":1,"ply":2,"move":"Pi1-f1"}');
INSERT INTO "events" VALUES('shdktqg9dp',5,1.79479028031599187852e+09,6.21972830200002135825e+00,'{"type":"moved","seat":1,"ply":3,"move":"Sg4-g3"}');
INSERT INTO "events" VALUES('shdktqg9dp',6,1.79479028032785248758e+09,6.23158889299975271569e+00,'{"type":"replaced","seat":0,"level":3,"how":"resigned"}');
INSERT INTO "events" VALUES('4trb55jj85',1,1.79479028034729361533e+09,6.25103031799972086446e+00,'{"type":"opened","game":"orochi","options":{"side":2},"seed":6,"start":null,"seats":[{"kind":"here","name":null},{"kind":"bot","level":1}],"clock":{"kind":"real","seconds":600,"increment":5}}');
INSERT INTO "events" VALUES('4trb55jj85',2,1.79479028040579128263e+09,6.30952802799993150983e+00,'{"type":"moved","seat":0,"ply":0,"move":"ba2"}');
INSERT INTO "events" VALUES('4trb55jj85',3,1.79479028083144927022e+09,6.73518637600000147358e+00,'{"type":"moved","seat":1,"ply":1,"move":"wc1"}');
INSERT INTO "events" VALUES('4trb55jj85',4,1.79479028085536074631e+09,6.75909765999995215679e+00,'{"type":"moved","seat":1,"ply":2,"move":"wb3"}');
INSERT INTO "events" VALUES('4trb55jj85',5,1.79479028088792133327e+09,6.79165791199966406566e+00,'{"type":"moved","seat":0,"ply":3,"move":"bb1"}');
INSERT INTO "events" VALUES('4trb55jj85',6,1.79479028089968609812e+09,6.8034228809997330245e+00,'{"type":"moved","seat":1,"ply":4,"move":"bb2"}');
INSERT INTO "events" VALUES('ys79m6xfsa',1,1.79479028111742830277e+09,7.02116510399992,'{"type":"opened","game":"toot","options":{"tiles":12,"pieces":5,"most_pieces":false},"seed":7,"start":null,"seats":[{"kind":"link","name":null},{"kind":"link","name":null}],"clock":{"kind":"days","days":30}}');
INSERT INTO "events" VALUES('ys79m6xfsa',2,1.79479028113185858726e+09,7.03559493600005225744e+00,'{"type":"sat","seat":0}');
INSERT INTO "events" VALUES('ys79m6xfsa',3,1.79479028113427591323e+09,7.03801242100007584667e+00,'{"type":"sat","seat":1}');
INSERT INTO "events" VALUES('ys79m6xfsa',4,1.79479028118332719805e+09,7.08706431199971120804e+00,'{"type":"moved","seat":0,"ply":0,"move":"+l11"}');
INSERT INTO "events" VALUES('ys79m6xfsa',5,1.79479028122065067292e+09,7.12438717799977894173e+00,'{"type":"moved","seat":0,"ply":1,"move":"*"}');
INSERT INTO "events" VALUES('ys79m6xfsa',6,1.79479028122281908993e+09,7.12655560399980458896e+00,'{"type":"moved","seat":1,"ply":2,"move":"+k13"}');
INSERT INTO "events" VALUES('ys79m6xfsa',7,1.79479028122739028925e+09,7.13112672299985206336e+00,'{"type":"offered","seat":0,"offer":"draw","ply":3}');
INSERT INTO "events" VALUES('3d9yq7zgsm',1,1.79479028123556232456e+09,7.13929886400001123547e+00,'{"type":"opened","game":"orochi","options":{"side":2},"seed":8,"start":null,"seats":[{"kind":"here","name":null},{"kind":"here","name":null}],"clock":{"kind":"real","seconds":10,"increment":0}}');
INSERT INTO "events" VALUES('yr8732wd72',1,1.79479028123982548709e+09,7.1435620069996730308e+00,'{"type":"opened","game":"orochi","options":{"side":3},"seed":null,"start":"3/4/2w2/4/3 b 1","seats":[{"kind":"here","name":null},{"kind":"here","name":null}],"clock":{"kind":"none"}}');
INSERT INTO "events" VALUES('yr8732wd72',2,1.7947902812452692985e+09,7.1490056600000571052e+00,'{"type":"ended","result":"draw","how":"agreed","seat":null}');
INSERT INTO "events" VALUES('8eg2shbavf',1,1.79479028125172901148e+09,7.15546556099980080034e+00,'{"type":"opened","game":"fillit","options":{"mode":"teams","layout":"A","first":"Red"},"seed":9,"start":null,"seats":[{"kind":"link","name":null},{"kind":"bot","level":2},{"kind":"link","name":null},{"kind":"here","name":null}],"clock":{"kind":"none"}}');
INSERT INTO "events" VALUES('3d9yq7zgsm',2,1.79479029123711252211e+09,1.71408490009998786267e+01,'{"type":"ended","result":"Black","how":"time","seat":0}');
CREATE TABLE house (
	open DOUBLE NOT NULL
);
INSERT INTO "house" VALUES(1.75870708769998600477e+01);
CREATE TABLE records (
	id VARCHAR(10) NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	wall DOUBLE NOT NULL, 
	text TEXT NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (digest)
);
INSERT INTO "records" VALUES('umpcwk7bn9','d8a41bbd011b54d987e0bd9c6744e6f75c9e74154f26d8b2b01fcbcb6fdb2b5f',1.79479028125975775724e+09,'[Game "orochi"]
[Options "side=2"]
[Seed "1"]
[Start "2/3/2 w 0"]
[Result "*"]

1. wa1 *
');
CREATE TABLE tables (
	id VARCHAR(10) NOT NULL, 
	hashes TEXT NOT NULL, 
	summary TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	over BOOLEAN NOT NULL, 
	alarm BOOLEAN NOT NULL, 
	changed DOUBLE NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "tables" VALUES('m3eq23qq29','["5f33b43a70cb8bfc486b141c5386423f215bc8371bda02d2c56b18fbe0ad28b2", "365044399d3988a9431ac58ae787133cfdaa6a2de4b7c4cb89270e5a2e19101c"]','{"game": "orochi", "title": "Orochi", "players": ["White", "Black"], "names": ["Anna", "Bert <b>"], "ply": 6, "player": null, "over": true, "result": "White", "how": null, "rematch": null, "waits": []}',12,1,0,1.79479027532311940194e+09);
INSERT INTO "tables" VALUES('8qayf6zfd4','["967e164d81a78a97aafa78d00aa6c5cd1f2e61bf753b6107ba6eae91d4819625", "b1cc674a7013119c4bcbf26e9f2216510db6150c1c6fe250a195cfd22edcfade"]','{"game": "oolong", "title": "Oolong", "players": ["Black", "Green"], "names": [null, null], "ply": 2, "player": null, "over": true, "result": "Green", "how": "resigned", "rematch": "y2mag89c3c", "waits": []}',16,1,0,1.79479028018942642214e+09);
INSERT INTO "tables" VALUES('y2mag89c3c','["967e164d81a78a97aafa78d00aa6c5cd1f2e61bf753b6107ba6eae91d4819625", "b1cc674a7013119c4bcbf26e9f2216510db6150c1c6fe250a195cfd22edcfade"]','{"game": "oolong", "title": "Oolong", "players": ["Black", "Green"], "names": [null, null], "ply": 0, "player": 0, "over": false, "result": "*", "how": null, "rematch": null, "waits": [0]}',1,0,0,1.79479028018942642214e+09);
INSERT INTO "tables" VALUES('shdktqg9dp','["c0669d0f7a0981d92bc6b932e445baa8631534a3d42652fb493a4512ed668f04", "36146739055689fb2061b7dd342038c40c85fdf7caaff3fbe9b14c08ecfe55f7", "a7eab5a70310b4d976084abd09ae2121f66e8784006e3e7490f3b01d36979886"]','{"game": "fillit", "title": "Fillit", "players": ["Red", "Yellow", "Blue"], "names": ["A", "B", null], "ply": 4, "player": 2, "over": false, "result": "*", "how": null, "rematch": null, "waits": [2]}',6,0,0,1.79479028032785248758e+09);
INSERT INTO "tables" VALUES('4trb55jj85','["63f08dfb00d7c519be0339c4025947832c40bc28433cb8a7b82844bf4c40f899", null]','{"game": "orochi", "title": "Orochi", "players": ["White", "Black"], "names": [null, null], "ply": 5, "player": 0, "over": false, "result": "*", "how": null, "rematch": null, "waits": [0]}',6,0,1,1.79479028089968609812e+09);
INSERT INTO "tables" VALUES('ys79m6xfsa','["761c1e3bddaac986355d541724c7cc8e2baa63e22bed2965f8e792579630a4e4", "8e0297887e24bd961b7113069a0fc35ee30eef397afc8d6023fb4ce8d93f1086"]','{"game": "toot", "title": "Toot", "players": ["Blue", "Red"], "names": [null, null], "ply": 3, "player": 1, "over": false, "result": "*", "how": null, "rematch": null, "waits": [1]}',7,0,1,1.79479028122739028925e+09);
INSERT INTO "tables" VALUES('3d9yq7zgsm','["a279deb73c5d1dd62ed745a2fbb85f0a303fe89b67b3961215b92c0544548aa9", "6937abf3a7117b6abc21a4934faa5cc2f9f9f9021f4010adc8774d906d5906ef"]','{"game": "orochi", "title": "Orochi", "players": ["White", "Black"], "names": [null, null], "ply": 0, "player": null, "over": true, "result": "Black", "how": "time", "rematch": null, "waits": []}',2,1,0,1.79479029123711252211e+09);
INSERT INTO "tables" VALUES('yr8732wd72','["615d27e94d4f97eb6c47abd4404aeffcbf0a50985f3936cef9b3ed9dcb9123a8", "59b7ead24ca8e7d709e8597d5d5504c824be20f9878d4f7ea8500944bc276371"]','{"game": "orochi", "title": "Orochi", "players": ["White", "Black"], "names": [null, null], "ply": 0, "player": null, "over": true, "result": "draw", "how": "agreed", "rematch": null, "waits": []}',2,1,0,1.7947902812452692985e+09);
INSERT INTO "tables" VALUES('8eg2shbavf','["e65386f56e1a9466b377678944bcef22149903b3d70af84cf65aa3124f030a17", null, "c22878ab47c6bc187773e42995fb27676f095a6c8cb06cd49a7b4edb39df0443", "50ec0f23319e5f3e4e1bdf55a3f30d37bb2805cd4d64717d245c48fc58409a0f"]','{"game": "fillit", "title": "Fillit", "players": ["Red", "Blue", "Yellow", "Green"], "names": [null, null, null, null], "ply": 0, "player": 0, "over": false, "result": "*", "how": null, "rematch": null, "waits": [0]}',1,0,0,1.79479028125172901148e+09);
CREATE INDEX tables_alarm ON tables (alarm);
CREATE INDEX tables_over ON tables (over, changed);
CREATE INDEX tables_number ON tables (number, changed);
COMMIT;
