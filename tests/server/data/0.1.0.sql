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
INSERT INTO "events" VALUES('pvt9ffsfym',1,1.7947898279735867977e+09,3.42185786000300140585e-01,'{"type":"opened","game":"orochi","options":{"side":2},"seed":1,"start":null,"seats":[{"kind":"link","name":"Anna"},{"kind":"link","name":null}],"clock":{"kind":"none"}}');
INSERT INTO "events" VALUES('pvt9ffsfym',2,1.79478982799122071265e+09,3.59819539000000077066e-01,'{"type":"sat","seat":0}');
INSERT INTO "events" VALUES('pvt9ffsfym',3,1.79478982799514222151e+09,3.63741136000044207321e-01,'{"type":"sat","seat":1}');
INSERT INTO "events" VALUES('pvt9ffsfym',4,1.79478982799974441523e+09,3.68343522000031953211e-01,'{"type":"named","seat":1,"name":"Bert <b>"}');
INSERT INTO "events" VALUES('pvt9ffsfym',5,1794789828.00379,3.72388832000069669447e-01,'{"type":"said","seat":0,"text":"Good luck!"}');
INSERT INTO "events" VALUES('pvt9ffsfym',6,1.79478982803526759142e+09,4.03866848000234313076e-01,'{"type":"moved","seat":0,"ply":0,"move":"wb2"}');
INSERT INTO "events" VALUES('pvt9ffsfym',7,1.79478982805161738391e+09,4.20216186000288871582e-01,'{"type":"moved","seat":1,"ply":1,"move":"wc1"}');
INSERT INTO "events" VALUES('pvt9ffsfym',8,1.79478982805657839771e+09,4.25177325000277051003e-01,'{"type":"moved","seat":1,"ply":2,"move":"wa2"}');
INSERT INTO "events" VALUES('pvt9ffsfym',9,1.79478982806344532965e+09,4.32044159000270155956e-01,'{"type":"moved","seat":0,"ply":3,"move":"bb3"}');
INSERT INTO "events" VALUES('pvt9ffsfym',10,1.79478982807139658935e+09,4.39995642000212683342e-01,'{"type":"moved","seat":1,"ply":4,"move":"ba1"}');
INSERT INTO "events" VALUES('pvt9ffsfym',11,1.79478982807303595538e+09,4.4163505400001668022e-01,'{"type":"moved","seat":0,"ply":5,"move":"wc2"}');
INSERT INTO "events" VALUES('pvt9ffsfym',12,1.79478982807444691657e+09,4.43045836000237613916e-01,'{"type":"said","seat":1,"text":"Thanks"}');
INSERT INTO "events" VALUES('mjvr7vs9he',1,1.79478982808518195152e+09,4.53781038000215630745e-01,'{"type":"opened","game":"oolong","options":{"markers":null,"specials":true,"markers_stay":false},"seed":3,"start":null,"seats":[{"kind":"link","name":null},{"kind":"link","name":null}],"clock":{"kind":"none"}}');
INSERT INTO "events" VALUES('mjvr7vs9he',2,1.79478982809678888317e+09,4.65387666999959037639e-01,'{"type":"sat","seat":0}');
INSERT INTO "events" VALUES('mjvr7vs9he',3,1.79478982809960484505e+09,4.68203624000125273596e-01,'{"type":"sat","seat":1}');
INSERT INTO "events" VALUES('mjvr7vs9he',4,1.79478982813789677622e+09,5.06495726000139256939e-01,'{"type":"moved","seat":0,"ply":0,"move":"C.NE"}');
INSERT INTO "events" VALUES('mjvr7vs9he',5,1.79478982815954566003e+09,5.28144514999894454376e-01,'{"type":"moved","seat":1,"ply":1,"move":"NE.NE"}');
INSERT INTO "events" VALUES('mjvr7vs9he',6,1.79478982816146397593e+09,5.30063059999974939273e-01,'{"type":"moved","seat":0,"ply":2,"move":"NE.C"}');
INSERT INTO "events" VALUES('mjvr7vs9he',7,1.79478982885162043569e+09,1.22022059900018575717e+00,'{"type":"offered","seat":0,"offer":"takeback","ply":2}');
INSERT INTO "events" VALUES('mjvr7vs9he',8,1.79478982886818408965e+09,1.23678296300022338982e+00,'{"type":"answered","seat":1,"offer":"takeback","yes":true}');
INSERT INTO "events" VALUES('mjvr7vs9he',9,1.79478982886818408965e+09,1.23678296300022338982e+00,'{"type":"taken_back","ply":2}');
INSERT INTO "events" VALUES('mjvr7vs9he',10,1.79478982887059712409e+09,1.23919593200025701662e+00,'{"type":"offered","seat":0,"offer":"draw","ply":2}');
INSERT INTO "events" VALUES('mjvr7vs9he',11,1.79478982887202405923e+09,1.24062292799999340786e+00,'{"type":"answered","seat":1,"offer":"draw","yes":false}');
INSERT INTO "events" VALUES('mjvr7vs9he',12,1794789828.88596,1.25455925799997203284e+00,'{"type":"hinted","seat":0,"ply":2}');
INSERT INTO "events" VALUES('mjvr7vs9he',13,1.79478983281303644181e+09,5.18163583100022151484e+00,'{"type":"ended","result":"Green","how":"resigned","seat":0}');
INSERT INTO "events" VALUES('mjvr7vs9he',14,1.79478983282343435281e+09,5.19203315200002180063e+00,'{"type":"offered","seat":0,"offer":"rematch","ply":2}');
INSERT INTO "events" VALUES('mjvr7vs9he',15,1.79478983282515764229e+09,5.19375645800028,'{"type":"answered","seat":1,"offer":"rematch","yes":true}');
INSERT INTO "events" VALUES('mjvr7vs9he',16,1.79478983282515764229e+09,5.19375645800028,'{"type":"rematch","table":"xjva3rkjs7"}');
INSERT INTO "events" VALUES('xjva3rkjs7',1,1.79478983282515764229e+09,5.19375645800028,'{"type":"opened","game":"oolong","options":{"markers":null,"specials":true,"markers_stay":false},"seed":6759725598010281,"start":null,"seats":[{"kind":"link","name":null},{"kind":"link","name":null}],"clock":{"kind":"none"}}');
INSERT INTO "events" VALUES('8gjzu7ndsn',1,1.79478983285733294491e+09,5.22593202899997777421e+00,'{"type":"opened","game":"fillit","options":{"mode":"3","layout":"A","first":"Red"},"seed":5,"start":null,"seats":[{"kind":"here","name":"A"},{"kind":"here","name":"B"},{"kind":"here","name":null}],"clock":{"kind":"none"}}');
INSERT INTO "events" VALUES('8gjzu7ndsn',2,1.79478983289094424242e+09,5.25954312900012155296e+00,'{"type":"moved","seat":0,"ply":0,"move":"Sc5-d5"}');
INSERT INTO "events" VALUES('8gjzu7ndsn',3,1.79478983292723584174e+09,5.29583468400005585863e+00,'{"type":"moved","seat":0,"ply":1,"move":"Pa1-e1"}');
INSERT INTO "events" VALUES('8gjzu7ndsn',4,1.79478983293961906432e+09,5.30821795100018789526e+00,'{"type":"moved","seat":1,"ply":2,"move":"Pi1-f1"}');
INSERT INTO "events" VALUES('8gjzu7ndsn',5,1.79478983295154476164e+09,5.32014360800030772224e+00,'{"type":"moved","seat":1,"ply":3,"move":"Sg4-g3"}');
INSERT INTO "events" VALUES('8gjzu7ndsn',6,1.79478983296346926686e+09,5.33206809400007841759e+00,'{"type":"replaced","seat":0,"level":3,"how":"resigned"}');
INSERT INTO "events" VALUES('43zfaquet3',1,1.79478983296876168254e+09,5.3373604430003069865e+00,'{"type":"opened","game":"orochi","options":{"side":3},"seed":6,"start":null,"seats":[{"kind":"here","name":null},{"kind":"bot","level":1}],"clock":{"kind":"real","seconds":600,"increment":5}}');
INSERT INTO "events" VALUES('43zfaquet3',2,1.79478983302338457109e+09,5.3919835070000772248e+00,'{"type":"moved","seat":0,"ply":0,"move":"bd3"}');
INSERT INTO "events" VALUES('43zfaquet3',3,1.794789833204726696e+09,5.57332637500030614319e+00,'{"type":"moved","seat":1,"ply":1,"move":"we3"}');
INSERT INTO "events" VALUES('43zfaquet3',4,1.79478983321936178202e+09,5.58796071000006122631e+00,'{"type":"moved","seat":1,"ply":2,"move":"wa2"}');
INSERT INTO "events" VALUES('43zfaquet3',5,1794789833.27236,5.64095905400017727515e+00,'{"type":"moved","seat":0,"ply":3,"move":"bc2"}');
INSERT INTO "events" VALUES('43zfaquet3',6,1.79478983353644561769e+09,5.90504532200020548771e+00,'{"type":"moved","seat":1,"ply":4,"move":"be2"}');
INSERT INTO "events" VALUES('7nbbg7vb24',1,1.7947898337230529785e+09,6.0916521070003,'{"type":"opened","game":"toot","options":{"tiles":12,"pieces":5,"most_pieces":false},"seed":7,"start":null,"seats":[{"kind":"link","name":null},{"kind":"link","name":null}],"clock":{"kind":"days","days":30}}');
INSERT INTO "events" VALUES('7nbbg7vb24',2,1.79478983374037575726e+09,6.10897465900006864103e+00,'{"type":"sat","seat":0}');
INSERT INTO "events" VALUES('7nbbg7vb24',3,1.79478983375143408772e+09,6.12003288999994765617e+00,'{"type":"sat","seat":1}');
INSERT INTO "events" VALUES('7nbbg7vb24',4,1.79478983378730797765e+09,6.15590706600005432846e+00,'{"type":"moved","seat":0,"ply":0,"move":"+l11"}');
INSERT INTO "events" VALUES('7nbbg7vb24',5,1.79478983381852388381e+09,6.18712288899996565305e+00,'{"type":"moved","seat":0,"ply":1,"move":"*"}');
INSERT INTO "events" VALUES('7nbbg7vb24',6,1.79478983383619332316e+09,6.20479224500013515353e+00,'{"type":"moved","seat":1,"ply":2,"move":"+k13"}');
INSERT INTO "events" VALUES('7nbbg7vb24',7,1.79478983383850264551e+09,6.20710142000007181195e+00,'{"type":"offered","seat":0,"offer":"draw","ply":3}');
INSERT INTO "events" VALUES('jyg5ynb745',1,1.79478983384778165814e+09,6.2163806020002994046e+00,'{"type":"opened","game":"orochi","options":{"side":2},"seed":8,"start":null,"seats":[{"kind":"here","name":null},{"kind":"here","name":null}],"clock":{"kind":"real","seconds":10,"increment":0}}');
INSERT INTO "events" VALUES('mbjpq9q3et',1,1.79478983385131120676e+09,6.21990995700025450787e+00,'{"type":"opened","game":"orochi","options":{"side":3},"seed":null,"start":"3/4/2w2/4/3 b 1","seats":[{"kind":"here","name":null},{"kind":"here","name":null}],"clock":{"kind":"none"}}');
INSERT INTO "events" VALUES('mbjpq9q3et',2,1.79478983385461688046e+09,6.22321557000032,'{"type":"ended","result":"draw","how":"agreed","seat":null}');
INSERT INTO "events" VALUES('mueazwuhj2',1,1.79478983385729098324e+09,6.22588984599997274926e+00,'{"type":"opened","game":"fillit","options":{"mode":"teams","layout":"A","first":"Red"},"seed":9,"start":null,"seats":[{"kind":"link","name":null},{"kind":"bot","level":2},{"kind":"link","name":null},{"kind":"here","name":null}],"clock":{"kind":"none"}}');
INSERT INTO "events" VALUES('jyg5ynb745',2,1.79478984385026812554e+09,1.62188668620001408271e+01,'{"type":"ended","result":"Black","how":"time","seat":0}');
CREATE TABLE house (
	open DOUBLE NOT NULL
);
INSERT INTO "house" VALUES(1.74206519740000658207e+01);
CREATE TABLE records (
	id VARCHAR(10) NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	wall DOUBLE NOT NULL, 
	text TEXT NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (digest)
);
INSERT INTO "records" VALUES('gymqwea3tw','d8a41bbd011b54d987e0bd9c6744e6f75c9e74154f26d8b2b01fcbcb6fdb2b5f',1.79478983386307239539e+09,'[Game "orochi"]
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
INSERT INTO "tables" VALUES('pvt9ffsfym','["a7f4ebe45f1430c2b3bf34668d32e9ab084923a4fdfd87bce961538dce7e2796", "5b5b1ea7ea179490f6f86331838a5b801e55c3efe2c1fe1128eac4c9e3cf5e8c"]','{"game": "orochi", "title": "Orochi", "players": ["White", "Black"], "names": ["Anna", "Bert <b>"], "ply": 6, "player": null, "over": true, "result": "White", "how": null, "rematch": null, "waits": []}',12,1,0,1.79478982807444691657e+09);
INSERT INTO "tables" VALUES('mjvr7vs9he','["f1412bbeb536244cb3c88174e4894f4ead777f36c2fd9b278735be474cee5c00", "0d3476190b52f246e95c1b1c043d3386fb548c7c7a54cff672e8fdef1c4cf0ca"]','{"game": "oolong", "title": "Oolong", "players": ["Black", "Green"], "names": [null, null], "ply": 2, "player": null, "over": true, "result": "Green", "how": "resigned", "rematch": "xjva3rkjs7", "waits": []}',16,1,0,1.79478983282515764229e+09);
INSERT INTO "tables" VALUES('xjva3rkjs7','["f1412bbeb536244cb3c88174e4894f4ead777f36c2fd9b278735be474cee5c00", "0d3476190b52f246e95c1b1c043d3386fb548c7c7a54cff672e8fdef1c4cf0ca"]','{"game": "oolong", "title": "Oolong", "players": ["Black", "Green"], "names": [null, null], "ply": 0, "player": 0, "over": false, "result": "*", "how": null, "rematch": null, "waits": [0]}',1,0,0,1.79478983282515764229e+09);
INSERT INTO "tables" VALUES('8gjzu7ndsn','["7cb824d8dd1652768fb28be569417928946c8b1e6f0bb52590249da223a93594", "94be6548e065aff3c022b77076991437ab3e3e66c19c3bf58e668c2657f597c4", "fac2d30c56f33e76a3cb09fd44f4cc4ae0b941e98054eb4f9e615be33cff6b1e"]','{"game": "fillit", "title": "Fillit", "players": ["Red", "Yellow", "Blue"], "names": ["A", "B", null], "ply": 4, "player": 2, "over": false, "result": "*", "how": null, "rematch": null, "waits": [2]}',6,0,0,1.79478983296346926686e+09);
INSERT INTO "tables" VALUES('43zfaquet3','["4e8f0f4dcab0bd06d0c590af83ffb42428bc2486b0c602e916634000b2e35e05", null]','{"game": "orochi", "title": "Orochi", "players": ["White", "Black"], "names": [null, null], "ply": 5, "player": 0, "over": false, "result": "*", "how": null, "rematch": null, "waits": [0]}',6,0,1,1.79478983353644561769e+09);
INSERT INTO "tables" VALUES('7nbbg7vb24','["80914a919f59ba520203779be69d82a78a6a13538a173e571c4a26a74e8a265d", "67f5c7fa4f073513f620e34f637df4ab159b56c0bd9e723ef743ae04dee75f28"]','{"game": "toot", "title": "Toot", "players": ["Blue", "Red"], "names": [null, null], "ply": 3, "player": 1, "over": false, "result": "*", "how": null, "rematch": null, "waits": [1]}',7,0,1,1.79478983383850264551e+09);
INSERT INTO "tables" VALUES('jyg5ynb745','["b5131c09f1a638e60999fd817138941014d7c800232d84ad37b1fddc6235bdff", "f41ce313c44df974f012a23135c03fd49145dbeba146141e4bdcc979e6fea9eb"]','{"game": "orochi", "title": "Orochi", "players": ["White", "Black"], "names": [null, null], "ply": 0, "player": null, "over": true, "result": "Black", "how": "time", "rematch": null, "waits": []}',2,1,0,1.79478984385026812554e+09);
INSERT INTO "tables" VALUES('mbjpq9q3et','["648eea0793b03b315b5631b00ea0eaf0cb8e4cfc79c2ba09d840f04e816c2b40", "2fe0d3fe87aff75be416f750a0fd50e79d114330750978654427596590190d25"]','{"game": "orochi", "title": "Orochi", "players": ["White", "Black"], "names": [null, null], "ply": 0, "player": null, "over": true, "result": "draw", "how": "agreed", "rematch": null, "waits": []}',2,1,0,1.79478983385461688046e+09);
INSERT INTO "tables" VALUES('mueazwuhj2','["0952890d2af1849f550855d859209c82c0642ed6fe5511fd0783583d9a678c4b", null, "8caf10120deed066fbffd9a15c3ddef5d7f7f82c9c36f32cb903c996ab593f9f", "ef2ab7ca9887ffa395753d041af27e774132e62b344cbd10ee7d62a203b02ca4"]','{"game": "fillit", "title": "Fillit", "players": ["Red", "Blue", "Yellow", "Green"], "names": [null, null, null, null], "ply": 0, "player": 0, "over": false, "result": "*", "how": null, "rematch": null, "waits": [0]}',1,0,0,1.79478983385729098324e+09);
CREATE INDEX tables_alarm ON tables (alarm);
CREATE INDEX tables_over ON tables (over, changed);
CREATE INDEX tables_number ON tables (number, changed);
COMMIT;
